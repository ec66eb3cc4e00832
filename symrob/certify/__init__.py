"""Answers checked again, by means that share nothing with the engine.

In:  a checked `Problem` and deviations that are said to be its envelope.
Out: every fault found, with a run where there is one.

Imports the transition systems, the problem and the limits: no BDDs, no solver, no
room of the engine. `symrob.api` and the baselines import it.
"""
