{{ replication_conflicts.staged_changes('field_sales', 'sales_order') }}
