{{ replication_conflicts.row_versions('inventory', 'stock_level') }}
