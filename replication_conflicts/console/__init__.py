"""The commands of ``replication-conflicts``: each module registers its own.

``options``        what several of them have in common
``printed_query``  the rows of a query, printed
"""
