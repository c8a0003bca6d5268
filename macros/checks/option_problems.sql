{#- What is wrong with the options of a publication, or of an article of it, each looked at by
    itself: unknown, missing, not of the form that it must have, or of another kind of replication.
    A list of [option, text].

    level        'publication' or 'article'
    replication  of the publication -#}
{% macro option_problems(level, options, replication) -%}
    {%- set all_rules = replication_conflicts.option_rules() -%}
    {%- set rules = all_rules[level] -%}
    {%- set is_known_kind = replication in all_rules['publication']['replication']['values'] -%}
    {%- set owner = 'an article' if level == 'article' else 'a publication' -%}
    {%- set found = [] -%}
    {%- for option, rule in rules.items() if rule.get('required') and option not in options -%}
        {%- do found.append([option, 'is missing']) -%}
    {%- endfor -%}
    {%- for option, value in options.items() -%}
        {%- if option not in rules -%}
            {%- do found.append([
                option, 'is no option of ' ~ owner ~ ', must be one of: ' ~ rules | join(', ')
            ]) -%}
        {%- else -%}
            {%- set problem = replication_conflicts.value_problem(value, rules[option]) -%}
            {%- set kind = rules[option].get('belongs_to', replication) -%}
            {%- if problem -%}
                {%- do found.append([option, problem]) -%}
            {%- elif is_known_kind and kind != replication and value -%}
                {%- do found.append([option, 'belongs to replication: ' ~ kind ~ '. Remove it']) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
