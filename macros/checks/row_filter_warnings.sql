{#- Names in row filters of articles that have no subscription; a list of texts. No problem that
    stops a run, because a subscription may come later; but where a name is misspelled, the
    subscriber that is meant has no filter and gets every row.
    subscriptions: one {publication, subscriber} for each that there is. -#}
{% macro row_filter_warnings(subscriptions) -%}
    {%- set warnings = [] -%}
    {%- for item in replication_conflicts.article_list() -%}
        {%- set subscribers = (
            subscriptions | selectattr('publication', 'equalto', item.publication)
            | map(attribute='subscriber') | list
        ) -%}
        {%- for name in item.options.get('row_filter') or {} if name | string not in subscribers -%}
            {%- do warnings.extend(
                replication_conflicts.problem_texts(item.publication, item.article, [[
                    'row_filter',
                    "there is no subscription '" ~ name ~ "', only: "
                    ~ (subscribers | sort | join(', ') or 'none')
                    ~ '. Correct the name, or add the subscription: a subscriber of another name '
                    ~ 'has no filter, and gets every row.'
                ]])
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(warnings) }}
{%- endmacro %}
