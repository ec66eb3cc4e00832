"""Results that one can look at: text, JSON, tables, pictures.

In:  answers of the stages and analyses.
Out: lines of text, dictionaries that are printed as JSON, documents, pictures. Nothing
     is computed here that a program would have to compute again.

Imports the rooms whose answers it shows. Batches, notebooks and commands import it.
"""
