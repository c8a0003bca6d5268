"""What if: the stored changes judged again under another policy, resolver or priority.

``question``  what is asked, and whether it can be asked
``scratch``   the schema in which it is answered; nothing else is written
``answer``    dbt's part, and what came of it
``report``    the answer as tables on the console
"""
