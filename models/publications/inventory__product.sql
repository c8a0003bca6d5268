{{ replication_conflicts.published_rows('inventory', 'product') }}
