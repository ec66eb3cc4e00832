"""Temporal formulas and property sentences, converted to monitors.

In:  formulas of linear temporal logic over fluents, or a sentence such as
     `no fireXray between enter and b`.
Out: deterministic monitors, as `Lts`; the parts that are not safety.

Imports only the transition systems; readers of files and of cases import it.
"""
