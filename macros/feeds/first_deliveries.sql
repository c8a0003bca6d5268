{#- The row images of a relation without those that are delivered again, as a query: of images that
    are the same in everything but their place in the queue the first one stays. Pairs of images are
    found by their order, and a copy between them would part them.

    typed: the relation, with what typed_image gives.  columns: the article's.  version_column: as
    there.  image: the columns that say which image of which change it is, a list.  position: the
    column with the place. -#}
{% macro first_deliveries(typed, columns, version_column, image, position) -%}
{%- set values = [] -%}
{%- for column in columns -%}
    {%- do values.append('value_' ~ loop.index) -%}
{%- endfor -%}
select * from {{ typed }}
qualify
    row_number() over (
        partition by
            {{ (image + values + (['image_version'] if version_column else [])) | join(', ') }}
        order by {{ position }} nulls last
    ) = 1
{%- endmacro %}
