{{ replication_conflicts.published_rows('inventory', 'stock_movement') }}
