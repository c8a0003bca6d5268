{#- The relation of a model that is looked into while a run is planned: what people and subscribers
    give, or what says whether there is news. Errors: it is ephemeral, so that it would seem not to
    be there yet, and be passed over in silence. -#}
{% macro input_relation(name) -%}
    {%- set relation = ref(name) -%}
    {%- if execute and relation.is_cte -%}
        {{ exceptions.raise_compiler_error(
            "the model '" ~ name
            ~ "' is ephemeral: it must be a table, a view or a seed, because a run looks into it "
            ~ "before it decides. " ~ 'Correct its config materialized.'
        ) }}
    {%- endif -%}
    {{ return(relation) }}
{%- endmacro %}
