"""Analyses: answers about an envelope, where possible without listing it.

In:  an `Engine` whose nominal system is safe, or several over one environment.
Out: an answer for each question (`Summary`, `Explanation`, `Cuts`, `Comparison`,
     `Ranking`, `SideReport`, rulings on a policy), with its status
     (`symrob.limits.Outcome`).

Imports the engine and the layers below it. The stages, reports and commands import this
package; no analysis modifies an engine that others share.
"""
