{#- A merge_version as a struct. -#}
{% macro merge_version(writer, known_as, column_writers) -%}
struct({{ writer }} as writer, {{ known_as }} as known_as, {{ column_writers }} as column_writers)
{%- endmacro %}
