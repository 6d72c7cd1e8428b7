"""Posts, and their way from draft to trash."""
