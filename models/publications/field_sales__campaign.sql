{{ replication_conflicts.published_rows('field_sales', 'campaign') }}
