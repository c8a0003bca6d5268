"""Scenario suites: YAML files that say what people did at several nodes, and what must come out.

A suite is run through real dbt builds of a generated project that installs this one as a package.

``reading``       values of a YAML file with their places, for errors
``suite``         suite files: the publication and its cases
``steps``         what people do in a case; ``step_reader`` reads it
``expectations``  what must come out
``expected``      suites and cases that wait for an open issue
``side_by_side``  cases of a suite in one publication
``project``       the generated project
``inputs``        what comes into it; ``outputs`` what builds have made of it
``partitions``    which rows a subscriber gets
``delivery``      what a case hands over before a run
``play``          the nodes of a case, step by step
``waves``         one run for all cases that wait for one
``own_records``   conflicts and commands in the names of a case
``compare``       what is not as expected; ``differences`` how that is said
``group``         suites that share a project
``runner``        all suites
``report``        what a person reads
"""
