"""Checking answers again, without any code of the engine.

In:  a checked `Problem` and deviations that are claimed to be its envelope (`check`);
     or a certificate, which holds the models (`certificate`).
Out: every fault found, with a trace if there is one; or what was checked.

`check`, `closed_loop` and `exhaustive` import the transition systems, the problem and
the limits. The other modules import only the standard library and each other: `python
-m symrob.certify FILE` needs nothing else.
"""
