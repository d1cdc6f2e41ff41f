"""Tables of papers, measured again: ``python -m benchmarks paper NAME``.

Here hornbeam runs in the process of the script, since the data are split and made binary anew for each run; `measure`
counts objective and losses from the rows of the tree, as everywhere in the benchmarks.

Each paper is a module ``NAME`` with

* ``SOURCES``: what is measured, by name, mostly a data set;
* ``records_of(name, limit)``: yields the results of one of them, as dicts; `limit` is the seconds after which a search
  is stopped;
* ``report(records, directory)``: writes ``paper-NAME.md`` and its pictures from all results that the file holds, and
  returns the path of the Markdown file.

Its text and the columns of its tables are in the template ``NAME.md.jinja``, what the paper printed in
``NAME_published.tsv``.
"""
