{#- The row that a decision which is_written has left, as canonical text: what the run has made of
    it, else as the change has it. Over the columns of change_outcomes. -#}
{% macro written_row() -%}
coalesce(merged_row, change_row)
{%- endmacro %}
