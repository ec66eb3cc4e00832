"""Automata with data, from CIF and Supremica, as transition systems.

In:  a `Specification`: automata with variables, guards and updates, and requirements.
Out: transition systems with roles; sentences about their states.

- `terms` contains expressions and their values; `unfold` computes transition systems;
  `roles` assigns them to E, C and the properties.
"""
