"""A Spark standalone cluster on this machine, and the demo's feed played on it and compared."""
