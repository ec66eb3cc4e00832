"""The version of symrob, for results, rows and `--version`."""

VERSION = "0.3.0"
