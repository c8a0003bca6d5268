{#- What is wrong with the options of a publication, or of an article of it, each looked at by itself: unknown, missing, not
    of the form that it must have, or not supported yet. A list of [option, text].

    level        'publication' or 'article'
    replication  of the publication -#}
{% macro option_problems(level, options, replication) -%}
    {%- set rules = replication_conflicts.option_rules()[level] -%}
    {%- set unsupported = replication_conflicts.unsupported_options()[level] -%}
    {%- set owner = 'an article' if level == 'article' else 'a publication' -%}
    {%- set found = [] -%}
    {%- for option, rule in rules.items() if rule.get('required') and option not in options -%}
        {%- do found.append([option, 'is missing']) -%}
    {%- endfor -%}
    {%- for option, value in options.items() -%}
        {%- if option not in rules -%}
            {%- do found.append([option, 'is no option of ' ~ owner ~ ', must be one of: ' ~ rules | join(', ')]) -%}
        {%- else -%}
            {%- set problem = replication_conflicts.value_problem(value, rules[option]) -%}
            {%- set lack = unsupported.get(option, {}) -%}
            {%- if problem -%}
                {%- do found.append([option, problem]) -%}
            {%- elif replication == 'queued' and rules[option].get('belongs_to') == 'merge' and value -%}
                {%- do found.append([option, 'belongs to replication: merge. Remove it']) -%}
            {%- elif lack is string and value -%}
                {%- do found.append([option, 'is not supported yet: ' ~ lack ~ '. Remove the option']) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
