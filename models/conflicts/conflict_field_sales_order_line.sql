{{ replication_conflicts.conflict_table('field_sales', 'order_line') }}
