{#- The policy that a publication was last recorded with, as an aggregate over publication_policies: that of the last run, and of runs of
    one number, of which only the last one has decided anything, that of the last. -#}
{% macro recorded_policy() -%}
max_by(policy, struct(run_sequence, recorded_at))
{%- endmacro %}
