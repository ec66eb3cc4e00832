"""The algorithms of the paper and brute force, for comparison and as oracles.

In:  a checked `Problem`.
Out: the same deviations as the engine gives, where they can finish.

`brute_force` shares nothing with the engine; `algorithm_1` works on the symbolic
encoding and the explorations of `symrob.envelope`. `symrob.api` starts them.
"""
