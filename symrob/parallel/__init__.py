"""One Δ by several processes, of this machine or of a cluster.

In:  an `Engine`, its nominal system safe.
Out: the same deviations as from one process, each once, in an order of their own.

The first sets are found here. They say along which transitions all others are split
into cubes (`cubes`). Each process searches one cube after the other (`search`), and the
`board` knows what is found, whose it is, and which cubes are left. `local` starts
processes, `cluster` asks Dask.
"""
