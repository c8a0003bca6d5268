{#- How many rows may go to every executor, where a model asks Spark to send a relation there. Spark
    goes by the size of compressed files, which says little about rows in memory.
      hashes   a number or two each, 16 bytes
      changes  ids, versions or values of a change, some hundred bytes -#}
{% macro most_broadcast(what) -%}
    {{ return({'hashes': 4000000, 'changes': 1000000}[what]) }}
{%- endmacro %}
