"""What `install` and `renew` ask of a database and of a table before it is captured.

``table``     every database, and in which order
``sqlite``    SQLite alone
``postgres``  PostgreSQL alone
``since``     whether it is still so, asked by every upload and every run of the agent
"""
