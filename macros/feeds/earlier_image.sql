{#- What typed_image gives, of the row image before: is_earlier_fit, with a version_column
    earlier_version, and earlier_<n>.

    columns: the article's.  window: the window whose order says which image is before. -#}
{% macro earlier_image(columns, version_column, window) -%}
{%- for column in columns %}
lag(value_{{ loop.index }}) over {{ window }} as earlier_{{ loop.index }},
{%- endfor %}
{%- if version_column %}
lag(image_version) over {{ window }} as earlier_version,
{%- endif %}
lag(is_fit) over {{ window }} as is_earlier_fit
{%- endmacro %}
