"""Gates: kinds of rules, and the verdicts on them.

In:  a policy in TOML, and the case that it is about.
Out: a `Ruling` for each rule; a certificate of their evidence.

A kind of rule is one class in one module: the keys of its table, how it is read, what
it refers to, whether it holds and the counterexample if not, when it is vacuous, what a
certificate claims about it. `policy.KINDS` lists the kinds; text, JSON, JUnit and
Markdown write every `Ruling` alike.
"""
