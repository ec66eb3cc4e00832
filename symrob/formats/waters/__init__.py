"""Modules of Supremica: expressions, graphs with variables, reader and writer."""
