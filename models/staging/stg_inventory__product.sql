{{ replication_conflicts.staged_changes('inventory', 'product') }}
