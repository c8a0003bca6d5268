{#- The value that a setting was last recorded with, as an aggregate over recorded_settings: that of
    the last run, and of runs of one number, of which only the last one has decided anything, that
    of the last. -#}
{% macro last_recorded() -%}
max_by(recorded_value, struct(run_sequence, recorded_at))
{%- endmacro %}
