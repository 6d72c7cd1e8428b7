"""What tests stand on: a real server, worlds to act in, and a client that checks every answer."""
