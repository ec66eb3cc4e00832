"""Runtime monitors: small automata that observe a run and report its status.

In:  a checked problem, and the observable actions.
Out: a `RuntimeMonitor` of three minimal automata (plan, danger, assumptions), and its
     code in a language: Python, C99, Structured Text, Mermaid.

Source: docs/monitors.md.
"""
