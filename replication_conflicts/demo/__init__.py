"""The demo: people at work in real databases, `dbt build` after each delivery, and what came of it.

``publications``  whose stories are played
``databases``     where the nodes' databases are, their tables, what they hold
``office``        a database as the people of a story see it
``site``          the nodes of one publication, with the product's own capture and agent
``commands``      what agents take, read for all nodes at once
``faults``        what reaches a feed beside what captures upload
``lakehouse``     the project's tables
``play``          the loop
``intake``        what became of the rows that came in
``decided``       what was decided, and which decisions are conflicts
``conflict``      one conflict from both sides
``state``         what is kept between two calls
``report``        what a person reads
"""
