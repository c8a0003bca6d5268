{#- What is wrong with the logical records of a publication; a list of texts.
    Rules: articles of the publication, each in one record at most; members lead along their columns
    to the primary key of a parent, up to the top; detection without resolution is an error; an
    article of a record has the default resolver. -#}
{% macro logical_record_problems(publication, settings) -%}
    {%- set problems = [] -%}
    {%- set records = settings.get('logical_records') -%}
    {%- set articles = settings.articles if settings.get('articles') is mapping else {} -%}
    {%- set seen = [] -%}
    {%- for record in (records if replication_conflicts.is_list(records) else []) -%}
        {%- set found = replication_conflicts._record_shape_problems(record, articles, seen) -%}
        {%- if record is mapping -%}
            {%- if record.get('detection') and not record.get('resolution') -%}
                {%- do found.append([
                    'logical_records',
                    "the record of '" ~ record.get('top')
                    ~ "' has detection: true without resolution: true"
                ]) -%}
            {%- endif -%}
            {%- set members = record.get('members') if record.get('members') is mapping else {} -%}
            {%- for article in [record.get('top') | string] + members.keys() | list -%}
                {%- set options = articles.get(article) -%}
                {%- set resolver = options.get('resolver') if options is mapping else none -%}
                {%- if resolver is mapping and resolver.get('name') != 'priority' -%}
                    {%- do problems.extend(
                        replication_conflicts.problem_texts(publication, article, [[
                            'resolver',
                            "is '" ~ resolver.get('name')
                            ~ "', must be 'priority': the article belongs to the logical record "
                            ~ "of '" ~ record.get('top') ~ "'"
                        ]])
                    ) -%}
                {%- endif -%}
            {%- endfor -%}
        {%- endif -%}
        {%- do problems.extend(replication_conflicts.problem_texts(publication, none, found)) -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}


{#- What is wrong with the form of one record; a list of [option, text]. `seen`: the articles of the
    records before it; its own are added. -#}
{% macro _record_shape_problems(record, articles, seen) -%}
    {%- set shape = (
        '{top: an article, members: {article: {parent: an article, columns: [...]}}, detection: '
        ~ 'true or false, resolution: true or false}'
    ) -%}
    {%- if
        record is not mapping
        or record.keys() | reject('in', ['top', 'members', 'detection', 'resolution']) | list
        or record.get('members', {}) is not mapping
    -%}
        {{ return([['logical_records', "'" ~ record ~ "' must be " ~ shape]]) }}
    {%- endif -%}
    {%- set found = [] -%}
    {%- set members = record.get('members', {}) -%}
    {%- for option in ['detection', 'resolution'] if record.get(option, false) is not boolean -%}
        {%- do found.append([
            'logical_records', option ~ " is '" ~ record[option] ~ "', must be true or false"
        ]) -%}
    {%- endfor -%}
    {%- set names = [record.get('top') | string] + members.keys() | list -%}
    {%- for article in names -%}
        {%- if article not in articles -%}
            {%- do found.append([
                'logical_records',
                "'" ~ article ~ "' is no article of the publication, must be one of: "
                ~ articles | join(', ')
            ]) -%}
        {%- elif article in seen -%}
            {%- do found.append([
                'logical_records',
                "'" ~ article ~ "' belongs to two records, or stands twice in one"
            ]) -%}
        {%- endif -%}
        {%- do seen.append(article) -%}
    {%- endfor -%}
    {%- set reached = [record.get('top')] -%}
    {%- for _ in members -%}
        {%- for article, member in members.items()
            if article not in reached and member is mapping and member.get('parent') in reached
        -%}
            {%- do reached.append(article) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- for article, member in members.items() if article in articles -%}
        {%- if
            member is not mapping
            or member.keys() | sort != ['columns', 'parent']
            or not replication_conflicts.is_list(member['columns'])
        -%}
            {%- do found.append([
                'logical_records',
                "member '" ~ article ~ "' must be {parent: an article, columns: [...]}"
            ]) -%}
        {%- elif article not in reached -%}
            {%- do found.append([
                'logical_records',
                "member '" ~ article ~ "' has the parent '" ~ member.parent
                ~ "', which does not lead to the top '" ~ record.get('top') ~ "'"
            ]) -%}
        {%- else -%}
            {%- set columns = (
                articles[article].get('columns') if articles[article] is mapping else none
            ) -%}
            {%- do found.extend(replication_conflicts.column_list_problems(
                'logical_records',
                member['columns'],
                columns if columns is mapping else {},
                "article '" ~ article ~ "'"
            )) -%}
            {%- set parent = articles.get(member.parent | string) -%}
            {%- set key = parent.get('primary_key') if parent is mapping else none -%}
            {%- if
                replication_conflicts.is_list(key) and key | length != member['columns'] | length
            -%}
                {%- do found.append([
                    'logical_records',
                    "member '" ~ article ~ "' names its parent by " ~ member['columns'] | join(', ')
                    ~ '; the primary key of ' ~ member.parent ~ ' is ' ~ key | join(', ')
                ]) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
