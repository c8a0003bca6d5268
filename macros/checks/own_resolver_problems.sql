{#- What Spark says against the resolvers of the project itself; a list of texts. What they make is
    put into a statement that would otherwise name no resolver, in the middle of a run: a mistake
    would only be met there. See also expression_problems. -#}
{% macro own_resolver_problems() -%}
    {%- set problems = [] -%}
    {%- for item in replication_conflicts.articles_with_resolver() -%}
        {%- set resolver = item.options.resolver -%}
        {%- set own_macro = replication_conflicts.own_resolver(resolver.name) -%}
        {%- if own_macro -%}
            {%- set made = (
                own_macro(replication_conflicts.resolver_arguments(item, resolver)) | trim
            ) -%}
            {%- set message = replication_conflicts.analysis_error(
                replication_conflicts._resolution_query(made)
            ) -%}
            {%- if message is not none -%}
                {%- do problems.extend(
                    replication_conflicts.problem_texts(item.publication, item.article, [[
                        'resolver',
                        "the macro resolver_" ~ resolver.name
                        ~ " does not make a resolution (replication_conflicts.resolution): "
                        ~ message | trim('.') ~ '. It makes: ' ~ (made or 'nothing')
                    ]])
                ) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}


{#- A query with what a resolver makes, beside a resolution, over what resolver_arguments speaks
    of. -#}
{% macro _resolution_query(made) -%}
select cast(null as {{ replication_conflicts.resolution_type() }}) as resolution
union all
select {{ made }} as resolution
from (
    select
        cast(null as string) as kind_met,
        cast(null as map<string,string>) as change_row,
        named_struct('row', cast(null as map<string,string>)) as held_row,
        cast(null as map<string,string>) as previous_values,
        cast(null as array<string>) as written_columns,
        cast(null as array<string>) as contested_columns
)
{%- endmacro %}
