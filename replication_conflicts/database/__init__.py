"""A node's database: a publication's articles as its tables.

``engine``          opening it, and transactions that captured triggers leave alone
``articles``        a publication as a database has it
``catalog``         what it says of its tables: columns and their types
``images``          rows of a database as canonical text
``metadata``        names of the versions and lineages that a merge subscriber keeps
``statements``      the articles' statements, ready for the database
``agent_tables``    what the agent keeps beside the articles
``captured``        what triggers keep of the rows, as far as the agent must know of it
``faults``          what an error means: a lost connection, a busy database, a refused command
``constraints``     when constraints are checked
``locks``           keeping others from writing
``local_postgres``  a PostgreSQL server of one's own, for tests and demos
"""
