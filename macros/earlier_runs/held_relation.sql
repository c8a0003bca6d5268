{#- A relation as the last run left it, or none when no run has made it yet (and while dbt parses).
    Errors: a model of that name is made elsewhere. Every run would begin without what the one
    before has left, and a configuration or a macro of the installing project can bring that
    about. -#}
{% macro held_relation(name) -%}
    {%- set held = source('held', name) -%}
    {%- if not execute -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set nodes = graph.get('nodes', {}) -%}
    {%- set node = (
        nodes.get('model.replication_conflicts.' ~ name)
        or nodes.get('model.' ~ project_name ~ '.' ~ name)
    ) -%}
    {#- a what-if decides in a schema of its own, anew -#}
    {%- if
        node
        and not var('what_if', none)
        and (node.schema, node.alias) != (held.schema, held.identifier)
    -%}
        {{ exceptions.raise_compiler_error(
            "the model '" ~ name ~ "' is made as " ~ node.schema ~ '.' ~ node.alias
            ~ ', but the next run looks for it as ' ~ held.schema ~ '.' ~ held.identifier
            ~ '. Models of replication_conflicts and the four models of an article must '
            ~ "lie in the schema of the target under their own names: take away their config "
            ~ "'schema' or 'alias', or let "
            ~ "'generate_schema_name' and 'generate_alias_name' leave these models as they are."
        ) }}
    {%- endif -%}
    {{ return(adapter.get_relation(held.database, held.schema, held.identifier)) }}
{%- endmacro %}
