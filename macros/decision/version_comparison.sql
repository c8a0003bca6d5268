{#- Queued updating: whether a change was made on the version of the row that the publisher holds
    when it is looked at. 'descendant': it was, the change is clean. 'concurrent': it was not. An
    insert is made on 'no row'. Never NULL. `held_version` is NULL where the publisher holds no row.
    Rule: transactional replication with queued updating, the row's GUID before the change against
    the held one. -#}
{% macro version_comparison(operation, old_version, held_version) -%}
    case
        when {{ operation }} = 'insert' and {{ held_version }} is null then 'descendant'
        when {{ operation }} <> 'insert' and {{ old_version }} = {{ held_version }}
            then 'descendant'
        else 'concurrent'
    end
{%- endmacro %}
