{#- Whether a queued-updating change names the row versions that the contract asks for: an insert the new one, an update
    both, a delete the old one. Never NULL. -#}
{% macro has_version(operation, old_version, new_version) -%}
case {{ operation }}
        when 'insert' then {{ new_version }} is not null
        when 'update' then {{ old_version }} is not null and {{ new_version }} is not null
        when 'delete' then {{ old_version }} is not null
        else true
    end
{%- endmacro %}
