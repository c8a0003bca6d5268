{#- What is wrong with the relation `conflict_decisions`; a list of texts. A decision that is allowed is not carried out yet:
    that is a warning.
    decisions: one {value: the decision, number of rows} for each that there is.
    Rule: a conflict of queued updating can be removed, and nothing else: its transaction is decided. -#}
{% macro decision_problems(decisions) -%}
    {%- set problems = [] -%}
    {%- for row in decisions -%}
        {%- if row.value == 'remove' -%}
            {%- do exceptions.warn(
                'conflict_decisions: ' ~ row.number ~ " decision(s) 'remove' are not applied: decisions are not supported yet. "
                ~ 'The conflicts stay.'
            ) -%}
        {%- else -%}
            {%- do problems.append(
                "conflict_decisions: the decision is '" ~ row.value ~ "', must be one of: remove (queued updating)."
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}
