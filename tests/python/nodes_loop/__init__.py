"""Real databases as nodes: the Distribution Agent and capture, on SQLite and PostgreSQL."""
