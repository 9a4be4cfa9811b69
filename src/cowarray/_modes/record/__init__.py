"""Operations kept as recipes, and made later."""
