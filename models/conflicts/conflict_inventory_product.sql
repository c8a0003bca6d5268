{{ replication_conflicts.conflict_table('inventory', 'product') }}
