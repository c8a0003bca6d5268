{#- The failure that breaking a key is: 2601 for a unique key, 547 for a foreign key. -#}
{% macro key_failure(constraint_id, publication, replication=none) -%}
    case
        {%- for key in replication_conflicts.key_constraints(replication=replication) %}
        when {{ publication }} = '{{ key.publication }}' and {{ constraint_id }} = '{{ key.id }}'
            then {{ replication_conflicts.failure(
                2601 if key.kind == 'unique' else 547, key.name
            ) }}
        {%- endfor %}
    end
{%- endmacro %}
