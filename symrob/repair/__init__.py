"""Repair: what to change in the machine so that it tolerates what it must.

In:  an `Engine` whose nominal system is safe, the deviations that must be tolerated,
     and the actions of C that may be disabled.
Out: guards on these actions, what they cost and what they bring; or why there are none.

C' is the most permissive restriction of C under which P holds with each of the
deviations. It sees the actions of C and neither the state of E nor what C does
silently. All that may be disabled is seen, so a most permissive restriction exists.

It is a question about traces, so C can be taken as its actions tell it: each
component determinised, and beside them one *observer*, the determinised E_D, which says
what E may be able to do after what was seen. Their composition is deterministic, and
the knowledge of C' is its state. There, ERROR is removed, backwards through what
cannot be disabled.

Imports the analyses and all below; `api`, `report` and `cli` import it.

Sources: docs/sources.md [RW], [LW].
"""
