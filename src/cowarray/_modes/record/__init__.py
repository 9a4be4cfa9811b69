"""Operations that are recorded, and run later."""
