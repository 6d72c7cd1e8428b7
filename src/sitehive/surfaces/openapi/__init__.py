"""The published document: OpenAPI 3.1, read off the declarations."""
