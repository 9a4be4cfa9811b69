"""Operations: the table of what each gives and writes, the road they take, the lanes beside it, indexing."""
