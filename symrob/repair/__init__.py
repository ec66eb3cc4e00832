"""Repair: changes of the controller that make it tolerate what it must.

In:  an `Engine` whose nominal system is safe, the deviations that must be tolerated,
     and the actions of C that may be disabled.
Out: guards on these actions, their cost and their benefit; or why there are none.

C' is the most permissive restriction of C under which P holds with each of the
deviations. It observes the actions of C, but neither the state of E nor internal moves
of C. All actions that may be disabled are observed, so a most permissive restriction
exists.

The problem is about traces, so C is determinised, component by component; beside it
runs one *observer*, the determinised E_D, whose state is the set of states in which E
may be after the observed actions. Their composition is deterministic, and its state is
the knowledge of C'. There, ERROR is removed, backwards through the actions that cannot
be disabled.

Imports the analyses and all lower layers; `api`, `report` and `cli` import it.

Sources: docs/sources.md [RW], [LW].
"""
