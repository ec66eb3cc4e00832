"""The version of symrob, for results, batch rows and `--version`."""

VERSION = "0.3.0"
