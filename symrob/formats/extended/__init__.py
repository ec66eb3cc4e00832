"""Automata with data, of CIF and of Supremica's modules, made systems.

In:  a `Specification`: automata with variables, guards and updates, and what must hold.
Out: systems in their roles; sentences about their states.

- `terms` has expressions and their values; `unfold` makes systems; `roles` says which
  is E and which C, and what is a property.
"""
