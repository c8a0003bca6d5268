{{ replication_conflicts.row_versions('field_sales', 'customer') }}
