{#- The whole model <publication>__<article>: the rows that are published, each with its version. A
    view of the live rows of <publication>__<article>__versions. -#}
{% macro published_rows(publication, article) -%}
{%- set options = replication_conflicts.article_options(publication, article) -%}
{{- config(
    materialized='kept_view',
    tblproperties=replication_conflicts.shape_properties(
        replication_conflicts.article_shape(
            replication_conflicts.publications().get(publication), options
        )
    )
) -}}
{#- a run of this model alone would else say that its rows were decided with what there is now -#}
{%- set problems = replication_conflicts.shape_problems(publication, article) -%}
{%- if problems -%}
    {{- exceptions.raise_compiler_error(problems | join('\n  ')) -}}
{%- endif -%}
with

versions as (select * from {{ ref(publication ~ '__' ~ article ~ '__versions') }}),

final as (
    select
        {%- for column in options.columns %}
        {{ adapter.quote(column) }},
        {%- endfor %}
        row_version
    from versions
    where not is_deleted
)

select * from final
{%- endmacro %}
