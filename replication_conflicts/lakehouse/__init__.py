"""The project's Delta tables, for what stands outside of dbt.

Captures and agents know them by their ports only; this is what is behind these.

``relations``     the schemas, and what is the same for all who read them
``tables``        tables of feed rows and initial rows
``delta_log``     which versions tables have
``queue_table``   the publication's queue
``feed``          where captures deliver: into the queue; the feeds are views of it
``commands``      where an agent's commands come from
``finished_run``  what the last run has left
``snapshots``     rows to start with, or to start over with
``reports``       where an agent's reports go
"""
