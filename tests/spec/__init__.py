"""The specification as scenarios, over HTTP, on each database."""
