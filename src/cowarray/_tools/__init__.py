"""What explains the library to people: `explain`, the demo."""
