"""Answers checked again, by means that use nothing of the engine.

In:  a checked `Problem` and deviations that are said to be its envelope (`check`); or a
     certificate, which holds the models (`certificate`).
Out: every fault found, with a run where there is one; or what was checked.

`check`, `closed_loop` and `exhaustive` import the transition systems, the problem and
the limits. The other modules import the standard library and each other alone:
`python -m symrob.certify FILE` needs nothing else.
"""
