"""All file access: bounded reading, atomic writing, recognising kinds of files.

In:  paths.
Out: bytes, texts, JSON and TOML with the locations of their problems; files that are
     written completely or not at all.

Imports errors and the bounds of a run. Every package that accesses the disk imports it;
the names of `files.reading` and `files.writing` are available here, too.
"""

from symrob.files.paths import ANYWHERE, beside, is_inside
from symrob.files.reading import (
    MAX_ROWS,
    MAX_TOML,
    allowed,
    at_most,
    claim,
    confined,
    is_stdin,
    one_line_end,
    open_file,
    open_text,
    read_all,
    read_bytes,
    read_text,
    require_allowed,
    reserve,
    served,
    too_large_together,
    undecodable,
    unreadable,
)
from symrob.files.writing import (
    is_stdout,
    is_stream,
    open_stream,
    replaced,
    sync_folder,
    unwritable,
    write_all,
    write_file,
    write_with,
)
