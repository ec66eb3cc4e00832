"""One self-contained page that answers every what-if about a case.

In:  the engine of a case, or those of two designs, with what they are called.
Out: HTML, with the models as data, the pictures that Graphviz drew, what the analyses
     found, and plain JavaScript that searches E_d‖C‖P itself.

`data` and `answers` make the data, `pictures` the pictures, `page` puts all together;
what a browser runs lies in the folder `page`.
"""
