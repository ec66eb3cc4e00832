"""Formulas and patterns in words, made monitors.

In:  formulas of linear temporal logic over fluents, or a sentence such as
     `no fireXray between enter and b`.
Out: deterministic monitors, as `Lts`; what is no safety property, named.

Imports the transition systems alone; readers of files and of cases import it.
"""
