{#- Two row images as changes_of_images reads them, as the last columns of a select over typed_image
    and earlier_image: a delete has the image itself before it, any other change the earlier one.

    columns: the article's. -#}
{% macro image_sides(columns, version_column) -%}
{%- if version_column %}
if(operation = 'delete', image_version, earlier_version) as before_version,
image_version as after_version,
{%- endif %}
{%- for column in columns %}
if(operation = 'delete', value_{{ loop.index }}, earlier_{{ loop.index }})
    as before_{{ loop.index }},
value_{{ loop.index }} as after_{{ loop.index }}
{%- if not loop.last -%},{%- endif -%}
{%- endfor %}
{%- endmacro %}
