{#- The name of the resolver that a change's article names, over the columns publication and
    article; NULL where it is the default one. -#}
{% macro resolver_of_article() -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.articles_with_resolver() -%}
    {%- do branches.append({
        'item': item, 'value': replication_conflicts.sql_text(item.options.resolver.name)
    }) -%}
{%- endfor -%}
{{ return(replication_conflicts.by_article(branches, 'cast(null as string)')) }}
{%- endmacro %}
