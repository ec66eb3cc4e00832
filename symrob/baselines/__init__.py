"""The algorithms of the paper and brute force, for comparison and as oracles.

In:  a checked `Problem`.
Out: the same deviations as the engine, if they finish.

`brute_force` shares no code with the engine; `algorithm_1` uses the symbolic encoding
and the explorations of `symrob.envelope`. `symrob.api` starts them.
"""
