{{ replication_conflicts.row_versions('inventory', 'stock_movement') }}
