{{ replication_conflicts.conflict_table('inventory', 'stock_movement') }}
