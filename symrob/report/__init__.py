"""Reports: results as text, JSON, tables and pictures.

In:  answers of the stages and analyses.
Out: lines of text, dictionaries that are printed as JSON, documents, pictures. Reports
     compute nothing that other programs would need, too.

Imports the packages whose answers it shows. Batches, notebooks and commands import it.
"""
