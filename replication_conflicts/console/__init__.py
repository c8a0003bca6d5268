"""The commands of ``replication-conflicts``: each module registers its own.

``options``  what several of them have in common
"""
