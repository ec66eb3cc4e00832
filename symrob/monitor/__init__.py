"""Runtime monitors: small machines that watch a run and say how it stands.

In:  a checked problem, and the actions that can be observed.
Out: a `RuntimeMonitor` of three minimal machines (plan, danger, assumptions), and its
     text in a language: Python, C99, Structured Text, Mermaid.

Source: docs/monitors.md.
"""
