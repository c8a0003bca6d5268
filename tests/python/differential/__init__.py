"""The project against the sequential reader: generated publications, side by side in one build.

``builds``      generated cases as publications of one generated dbt project
``comparison``  every relation that the project writes, against the reader's result
``shrinking``   a smaller case that still differs
``storage``     cases as JSON files that can be played again
"""
