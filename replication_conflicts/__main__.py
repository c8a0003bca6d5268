"""``python -m replication_conflicts`` is the console command ``replication-conflicts``."""

from replication_conflicts.cli import app

if __name__ == "__main__":
    app()
