{#- Merge replication: the place of the queue from which on nodes know what a change, or a decision
    of a person, has left: that of its session. What acts behind a place is not known yet to who has
    downloaded up to it. `writer`: a row_writer. -#}
{% macro place_known_from(writer) -%}
{{ writer }}.transaction_position
+ if({{ writer }}.queue_position > {{ writer }}.transaction_position, 1, 0)
{%- endmacro %}
