"""Scenario suites: YAML files that say what people did at several nodes, and what must come out.

A suite is run through real dbt builds of a generated project that installs this one as a package.
"""
