"""What symrob relies on inside dd and python-sat, beyond what they promise.

In:  dd with CUDD, and python-sat.
Out: managers of BDDs and solvers that can do what their libraries do not offer.

Each premise is tried where it is used, and `tests/borders` fails where it does not
hold. The product then does without, slower or with coarser bounds:

- `cudd.BDD.breakable`: CUDD's manager is the first field of dd's object, before `vars`,
  and dd's library has CUDD's symbols. Else each operation runs to its end.
- `cudd.BDD.takes_cubes`: dd asks a method of the manager for the cube to quantify.
  Else a cube is built for each image.
- `cudd.BDD.__del__`: `len` of a manager counts the nodes that are referred to. Else dd
  complains of a manager in a cycle, and keeps its memory.
- `aborted.why_given_up`: dd raises `ValueError` or `RuntimeError` where CUDD gave up,
  in known words where memory is used up. Else that is an internal error.
- `backends`: dd imports networkx for pictures only. Else commands start slowly.
- `sat.cadical`, `sat.propagated`: `pysolvers` has calls that leave SIGINT to Python.
  Else python-sat's own calls are used.
- `sat.log_proof`: CaDiCaL logs LRAT when that is set before the first clause. Else no
  certificate is written.
- `sat.max_sat`: RC2 calls its oracle by `_call_oracle`, else cores are not exhausted;
  it has its `cost` after `process_core`, else there are no bounds during a call.

Imports errors and memory. Rooms above import it for what is listed here.
"""
