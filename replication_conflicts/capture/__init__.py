"""Capture: makes tables of a database a subscriber, and moves its changes to the feed.

Triggers give every row a version and write each change to a queue in the same transaction.

``tables``         what capture keeps in the database
``triggers``       the triggers of both kinds of replication, by database
``install``        putting all of it there, and taking it away again
``renew``          the triggers anew, where an article has got columns
``installation``   what `install` has noted, and whether it still fits
``checks``         which tables can be captured
``sessions``       what is pending at a merge subscriber, as one session
``record_images``  the other rows of the logical records that a session changes
``upload``         moving committed changes to the feed, exactly once and in order
``state``          what the agent's commands mean for what is captured
``numbers``        version numbers of a merge subscriber
``affinity``       which columns of SQLite keep values as they are
``postgres_types`` the same of PostgreSQL
``ports``          where changes go
``problem``        what is said where all that is not possible
"""
