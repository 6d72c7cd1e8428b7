"""How fast the product is, asked one question to a file. `python -m bench` asks them all."""
