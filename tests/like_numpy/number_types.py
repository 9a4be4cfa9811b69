"""Dtypes of numbers, and of what is no number."""

NUMBERS = [*"?bhilqBHILQefdgFDG", ">f8", ">i4", ">c16"]
OTHERS = ["S3", "U3", "O", "M8[s]", "V8", "S", "M8", "i4,f8"]
