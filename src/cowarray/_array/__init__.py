"""Arrays over Storages: the headers that NumPy reads them by, the rules of lazy copies, memory in, memory out."""
