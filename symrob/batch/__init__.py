"""Many cases: each in a separate process, each a row of a file that survives.

    case files ──▶ Job ──▶ Worker (process) ──▶ row ──▶ RowFile
                  (job)   (worker, work)       (work)   (rows)

`run` puts them together on one machine, `cluster` on a Dask cluster; `results` and
`changes` read the file.
"""
