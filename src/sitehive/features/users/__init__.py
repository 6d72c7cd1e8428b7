"""The people of a site."""
