"""The engine: safe sets of environment transitions, and the maximal ones.

In:  a checked `Problem`.
Out: an `Engine`: the nominal system checked, candidates screened, every maximal safe
     set one after the other, counterexample traces, the figures of Table 1.

Imports the problem, the transition systems and the symbolic encoding. Baselines,
analyses and the stages import it.
"""
