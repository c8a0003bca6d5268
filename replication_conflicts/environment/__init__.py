"""What a run stands on: Python and Java, the Delta jars, the Spark session, dbt profiles."""
