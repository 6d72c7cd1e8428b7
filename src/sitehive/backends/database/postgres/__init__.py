"""Postgres: a pool of connections that outlives restarts of the server behind it."""
