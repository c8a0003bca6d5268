"""The Distribution Agent: carries a subscriber's commands to its database.

Transaction by transaction, in order. The position reached is kept in the same database transaction
as the rows, so that a crash at any point loses nothing and repeats nothing.

``ports``         where commands and snapshots come from, and where reports go
``transactions``  commands that act together
``apply``         what commands do
``trial``         getting past commands that are refused because of the order
``reports``       what waits to be reported
``snapshot``      replacing a subscriber's tables
``in_place``      the same, of tables that have more than the publication
``later_rows``    the initial rows of articles that come later
``run``           what a run has to do with, and its patience
``commits``       committing transactions exactly once, and what is refused
``beginning``     rows that come before commands, or instead of them
``agent``         the loop
``report``        what a person reads
"""
