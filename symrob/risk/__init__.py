"""Risk: the probability of a hazard, and each event's contribution.

In:  an engine, and the probabilities of its environment's deviations.
Out: the probability of the top event, exact or within bounds, and the importance of
     events.

`decision` and `bounds` are mathematics of sets of events and do not depend on models;
`events` defines the events, `search` finds the hazardous sets of them, and `assessment`
combines these.
"""
