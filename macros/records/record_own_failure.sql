{#- The constraint that a change of a logical record breaks by itself. A row that the run writes for
    the record fails as the leading change of the session; but it is no change of the node, whose
    partition it need not lie in. -#}
{% macro record_own_failure() -%}
case
    when is_run_row then null
    when own_failure is not null then own_failure
    when change_id = leader_change_id
        then first_value(
            if(is_run_row and is_allowed and own_failure.code <> 550, own_failure, null), true
        ) over (
            partition by publication, transaction_key, group_key
            order by image_place
            rows between unbounded preceding and unbounded following
        )
end
{%- endmacro %}
