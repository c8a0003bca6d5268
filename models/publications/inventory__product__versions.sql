{{ replication_conflicts.row_versions('inventory', 'product') }}
