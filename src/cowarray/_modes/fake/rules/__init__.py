"""What operations make of fakes."""
