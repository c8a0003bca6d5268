{{ replication_conflicts.published_rows('field_sales', 'order_line') }}
