"""States, actions and transitions in bits; sets and relations as BDDs.

In:  a network of components and deterministic monitors.
Out: a `SymbolicSystem`: a relation for each action, images, counts, single states.

Only `context` uses dd. Imports the problem's monitors and the transition systems; the
engine and the baselines import it.
"""
