"""Who is online."""
