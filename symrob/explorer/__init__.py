"""One self-contained page that answers every what-if about a case.

In:  the engine of a case, or those of two designs, with their names.
Out: HTML, with the models as data, pictures by Graphviz, results of the analyses, and
     plain JavaScript that searches E_d‖C‖P itself.

`data` and `answers` make the data, `pictures` the pictures, `page` combines them; the
code for the browser is in the folder `page`.
"""
