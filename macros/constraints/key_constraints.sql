{#- The unique and foreign keys of a publication, of those with this `replication`, or of all: a
    list of {id, publication, kind: 'unique' or 'foreign_key', article, columns, name} and, for a
    foreign key, {references, to}. `id` is unique in its publication; `name` is for people. -#}
{% macro key_constraints(publication=none, replication=none) -%}
    {%- set found = [] -%}
    {%- for item in replication_conflicts.article_list(replication, publication) -%}
        {%- for columns in item.options.get('unique') or [] -%}
            {%- do found.append({
                'id': item.article ~ '.unique.' ~ loop.index,
                'publication': item.publication,
                'kind': 'unique',
                'article': item.article,
                'columns': columns,
                'name': 'unique key (' ~ columns | join(', ') ~ ')'
            }) -%}
        {%- endfor -%}
        {%- for foreign_key in item.options.get('foreign_keys') or [] -%}
            {%- do found.append({
                'id': item.article ~ '.foreign_key.' ~ loop.index,
                'publication': item.publication,
                'kind': 'foreign_key',
                'article': item.article,
                'columns': foreign_key.columns,
                'references': foreign_key.references,
                'to': foreign_key.to,
                'name': 'foreign key (' ~ foreign_key.columns | join(', ') ~ ') to '
                    ~ foreign_key.references
            }) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
