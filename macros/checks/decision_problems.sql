{#- What is wrong with the relation `conflict_decisions`; a list of texts. A decision that is allowed is not carried out yet:
    that is a warning.
    decisions: one {value: the decision, number of rows} for each that there is. -#}
{% macro decision_problems(decisions) -%}
    {%- set allowed = ['submit_winner', 'submit_loser', 'remove'] -%}
    {%- set problems = [] -%}
    {%- for row in decisions -%}
        {%- if row.value in allowed -%}
            {%- do exceptions.warn(
                'conflict_decisions: ' ~ row.number ~ " decision(s) '" ~ row.value ~ "' are not applied: decisions are not "
                ~ 'supported yet. The conflicts stay.'
            ) -%}
        {%- else -%}
            {%- do problems.append(
                "conflict_decisions: the decision is '" ~ row.value ~ "', must be one of: " ~ allowed | join(', ') ~ '.'
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}
