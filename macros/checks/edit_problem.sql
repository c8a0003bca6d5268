{#- What is wrong with the edited columns of a decision, as a text; NULL: nothing. Over the columns
    publication, article and edited: a column that the article does not have, a column of its key,
    or a value that the column cannot hold. -#}
{% macro edit_problem() -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.article_list() -%}
    {%- do branches.append({'item': item, 'value': replication_conflicts._edit_problem_of_article(
        item.article, item.options
    )}) -%}
{%- endfor -%}
{{ replication_conflicts.by_article(branches, 'cast(null as string)') }}
{%- endmacro %}


{#- The same for one article, over the column edited. -#}
{% macro _edit_problem_of_article(article, options) -%}
{%- set columns = options.columns | list -%}
{%- set key = options.primary_key | join(', ') -%}
case
                when exists(map_keys(edited), name -> not name in ('{{ columns | join("', '") }}'))
                    then concat(
                        "article '{{ article }}' has no column '",
                        array_join(
                            array_except(map_keys(edited), array('{{ columns | join("', '") }}')),
                            "', '"
                        ),
                        "', only: {{ columns | join(', ') }}. Correct edited."
                    )
                when exists(
                    map_keys(edited), name -> name in ('{{ options.primary_key | join("', '") }}')
                )
                    then "the key ({{ key }}) cannot be edited. Correct edited."
                {%- for column, data_type in options.columns.items() %}
                when {{ replication_conflicts.cannot_hold(
                    "edited['" ~ column ~ "']", data_type
                ) | indent(20) }}
                    then concat(
                        "column '{{ column }}' cannot hold '",
                        edited['{{ column }}'],
                        "', it is {{ data_type }}. Correct edited."
                    )
                {%- endfor %}
            end
{%- endmacro %}
