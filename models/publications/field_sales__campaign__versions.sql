{{ replication_conflicts.row_versions('field_sales', 'campaign') }}
