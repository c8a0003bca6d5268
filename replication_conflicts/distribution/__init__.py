"""The Distribution Agent: carries a subscriber's commands to its database.

Transaction by transaction, in order. The position reached is kept in the same database transaction
as the rows, so that a crash at any point loses nothing and repeats nothing.

``commands``   what is to be done, as `subscriber_commands` says it
``ports``      where commands and snapshots come from, and where reports go
``database``   engines, and the transactions that captured triggers leave alone
``tables``     what the agent keeps in the subscriber's database
``images``     rows of a database as canonical text
``metadata``   names of the versions and lineages that a merge subscriber keeps
``statements`` the article's statements, ready for the database
``faults``     what a database error means: a lost connection, a busy database, a refused command
``apply``      what commands do
``constraints`` when constraints are checked
``trial``      getting past commands that are refused because of the order
``reports``    what waits to be reported
``snapshot``   replacing a subscriber's tables
``agent``      the loop
``lakehouse``  the ports on the project's Delta tables
"""
