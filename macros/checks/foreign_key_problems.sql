{#- What is wrong with the foreign keys of an article; a list of [option, text]. `articles`: all
    of the publication. -#}
{% macro foreign_key_problems(options, columns, articles) -%}
    {%- set found = [] -%}
    {%- set foreign_keys = options.get('foreign_keys') -%}
    {%- for key in (foreign_keys if replication_conflicts.is_list(foreign_keys) else []) -%}
        {%- if
            key is not mapping
            or key.keys() | sort != ['columns', 'references', 'to']
            or not replication_conflicts.is_list(key['columns'])
            or not replication_conflicts.is_list(key['to'])
        -%}
            {%- do found.append([
                'foreign_keys',
                "'" ~ key ~ "' must be {columns: [...], references: an article, to: [...]}"
            ]) -%}
        {%- else -%}
            {%- for side in ['columns', 'to'] if not key[side] -%}
                {%- do found.append(['foreign_keys', side ~ ' is empty, must name a column']) -%}
            {%- endfor -%}
            {%- set parent = articles.get(key.references | string) -%}
            {%- do found.extend(
                replication_conflicts.column_list_problems('foreign_keys', key['columns'], columns)
            ) -%}
            {%- if key['columns'] | length != key['to'] | length -%}
                {%- do found.append([
                    'foreign_keys',
                    'columns has ' ~ key['columns'] | length ~ ' (' ~ key['columns'] | join(', ')
                    ~ '), to has ' ~ key['to'] | length ~ ' (' ~ key['to'] | join(', ')
                    ~ '); they must be as many'
                ]) -%}
            {%- endif -%}
            {%- if parent is none -%}
                {%- do found.append([
                    'foreign_keys',
                    "'" ~ key.references ~ "' is no article of the publication, must be one of: "
                    ~ articles | join(', ')
                ]) -%}
            {%- elif parent is mapping and parent.get('columns') is mapping -%}
                {%- do found.extend(replication_conflicts.column_list_problems(
                    'foreign_keys', key['to'], parent['columns'], "article '" ~ key.references ~ "'"
                )) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
