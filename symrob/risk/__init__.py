"""Risk: how likely it is that what is possible can hurt somebody, and what adds to it.

In:  an engine, and the chances of what its environment may do.
Out: the probability of the top event, exact or within bounds, and the importance of
     what it comes from.

`decision` and `bounds` are mathematics of sets of events and know nothing of models;
`events` says what the events are, `search` which sets of them are hazardous, and
`assessment` puts these together.
"""
