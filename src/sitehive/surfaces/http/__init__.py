"""The JSON REST interface, as a plain ASGI application."""
