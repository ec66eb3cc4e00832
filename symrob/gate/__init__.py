"""Gates: what a machine must and must not tolerate, checked with one command.

In:  a policy, and a problem whose nominal system is safe.
Out: for each rule of the policy whether it holds, and what shows that it does not.
"""
