"""The demo: a chain of stores at work, `dbt build` after each delivery, and what came of it."""
