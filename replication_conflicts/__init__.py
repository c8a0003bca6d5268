"""Conflict detection and resolution for replication, on dbt and Spark: what is not dbt itself."""
