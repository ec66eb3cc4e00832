"""JSON Schemas of documents; `python -m symrob.schemas` writes them."""
