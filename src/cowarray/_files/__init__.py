""".npy and .npz files, raw files, text files."""
