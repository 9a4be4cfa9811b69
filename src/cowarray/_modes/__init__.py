"""Context managers that watch or change what operations do. Nothing below imports them."""
