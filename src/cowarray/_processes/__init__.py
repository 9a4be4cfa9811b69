"""Arrays that go to other processes of the machine as descriptors of frozen bases."""
