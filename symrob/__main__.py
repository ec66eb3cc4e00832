"""`python -m symrob`: the same as the command `symrob`."""

from symrob.cli import main

main()
