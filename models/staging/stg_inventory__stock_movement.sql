{{ replication_conflicts.staged_changes('inventory', 'stock_movement') }}
