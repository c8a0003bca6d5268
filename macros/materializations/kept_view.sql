{#- A view that is left as it is while nothing about it has changed: its statement, its columns and
    their descriptions are what they were when it was made. Making a view takes Spark half a second,
    and most runs change none.

    Only with an enforced contract: it says which columns the view has and of which types, whatever
    becomes of what it reads. A full refresh makes it anew.

    config:
      tblproperties  properties of the view, which every run finds in dbt's list of relations -#}
{% materialization kept_view, adapter='spark' -%}
    {%- set target = this.incorporate(type='view') -%}
    {%- set existing = load_cached_relation(this) -%}
    {%- set properties = config.get('tblproperties', {}) -%}
    {%- set definition = 'replication_conflicts.definition='
        ~ local_md5(
            sql ~ tojson(model.columns, sort_keys=true)
            ~ (tojson(properties, sort_keys=true) if properties else '')
        ) -%}
    {%- set is_kept = existing is not none
        and existing.is_view
        and config.get('contract').enforced
        and not should_full_refresh()
        and definition in (existing.information or '') -%}

    {{ run_hooks(pre_hooks) }}

    {%- if is_kept -%}
        {%- call noop_statement('main', 'kept') -%}{%- endcall -%}
    {%- else -%}
        {%- if existing is not none and not existing.is_view -%}
            {%- do adapter.drop_relation(existing) -%}
        {%- endif -%}
        {%- if config.get('contract').enforced -%}
            {#- compares the columns of the query with those of the contract, and fails
                where they differ -#}
            {%- do get_assert_columns_equivalent(sql) -%}
        {%- endif -%}
        {%- call statement('main') -%}
            create or replace view {{ target }}
            {{ comment_clause() }}
            tblproperties (
                '{{ definition | replace('=', "' = '") }}'
                {%- for name, text in properties.items() %},
                '{{ name }}' = {{ replication_conflicts.sql_text(text) }}
                {%- endfor %}
            )
            as
            {{ sql }}
        {%- endcall -%}
    {%- endif -%}

    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [target]}) }}
{%- endmaterialization %}
