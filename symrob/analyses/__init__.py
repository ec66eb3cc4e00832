"""What users ask about an envelope, answered without listing it where possible.

In:  an `Engine` whose nominal system is safe, or several over one environment.
Out: an answer for each question (`Summary`, `Explanation`, `Cuts`, `Comparison`,
     `Ranking`, `SideReport`, verdicts on the rules of a policy), with how far it came
     (`symrob.limits.Outcome`).

Imports the engine and what stands below it. The stages, reports and commands import
it; no analysis writes into an engine that others share.
"""
