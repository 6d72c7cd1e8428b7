"""The vocabulary every other part speaks. It knows no HTTP, no SQL and no feature."""
