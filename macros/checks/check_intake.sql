{#- At the end of an invocation: an error where it has decided without an intake of its own, as `dbt
    retry` does after a failure in the middle, or one call of dbt for each model. What a run looks
    at carries the run's id, so that such an invocation has found nothing to decide, and has not
    failed. The next run of all models takes what there is.

    results: what dbt gives to on-run-end, one entry per node -#}
{% macro check_intake(results) -%}
    {%- set built = results | map(attribute='node.unique_id') | list -%}
    {%- set deciding = [
        'model.replication_conflicts.change_queue', 'model.replication_conflicts.change_outcomes'
    ] -%}
    {%- if
        'model.replication_conflicts.arrived_changes' not in built
        and deciding | select('in', built) | list
    -%}
        {{ exceptions.raise_compiler_error(
            'nothing was decided: arrived_changes, where a run takes in what there is, was no part '
            ~ 'of this invocation. The models of a run belong together: run `dbt build`.'
        ) }}
    {%- endif -%}
{%- endmacro %}
