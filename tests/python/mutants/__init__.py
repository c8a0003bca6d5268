"""Breaks one rule at a time on purpose: a comparison with the sequential reader must notice each.

    python -m tests.python.mutants               every mutant
    python -m tests.python.mutants --only late   those with the word in their title
    python -m tests.python.mutants --group merge

A mutant is a change of one line in a copy of the project. A generated project installs the copy,
takes the deliveries of a few generated cases, and what it writes is compared with what the
sequential reader decides. Between the first two runs the published tables are dropped, as if the
first run had died before it wrote them. A mutant that changes nothing that is compared has
survived: then a rule is not tested.
"""
