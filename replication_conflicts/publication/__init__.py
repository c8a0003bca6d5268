"""What a publication is, and what travels between its nodes.

``configuration``  the publications that a project configures
``publication``    articles, their keys, and logical records
``values``         values of columns, and their canonical text
``feed``           what nodes send: rows of the change feed
``sessions``       what a node of merge replication sends together
``commands``       what nodes must do, as `subscriber_commands` says it
``rows``           rows with their versions: initial rows, published rows, snapshots
"""
