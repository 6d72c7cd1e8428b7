"""Forums: where posts are."""
