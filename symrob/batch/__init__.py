"""Batches: each case in a separate process, each a row of a durable file.

    case files ──▶ Job ──▶ Worker (process) ──▶ row ──▶ RowFile
                  (job)   (worker, work)       (work)   (rows)

`run` combines them on one machine, `cluster` on a Dask cluster; `results` and `changes`
read the file.
"""
