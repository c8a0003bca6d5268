{#- The id of a conflict: the same wherever and whenever the same conflict is decided, so that a
    rerun writes the same ids. -#}
{% macro conflict_id(publication, article, row_key, losing_version, winning_version, change_id) -%}
    md5(to_json(struct(
        {{ publication }} as publication,
        {{ article }} as article,
        {{ row_key }} as row_key,
        {{ losing_version }} as losing_version,
        {{ winning_version }} as winning_version,
        {{ change_id }} as change_id
    )))
{%- endmacro %}
