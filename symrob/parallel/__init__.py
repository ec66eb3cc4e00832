"""Computing one Δ with several processes, on this machine or on a cluster.

In:  an `Engine` whose nominal system is safe.
Out: the same deviations as from one process, each once, in a different order.

The first sets are found in this process. They determine the transitions along which the
remaining search space is split into cubes (`cubes`). Each process searches one cube
after the other (`search`), and the `board` records which sets are known, who searches
which cube, and which cubes are left. `local` starts processes, `cluster` uses Dask.
"""
