"""What is measured, one module a case."""
