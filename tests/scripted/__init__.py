"""Players that do what a test wants, as another package would bring them."""
