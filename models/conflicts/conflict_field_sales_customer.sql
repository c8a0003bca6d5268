{{ replication_conflicts.conflict_table('field_sales', 'customer') }}
