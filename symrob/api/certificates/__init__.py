"""Certificates: writing the evidence for an answer, and checking it.

In:  the models, and an answer.
Out: a file of the schema `symrob/certificate/2`, described in docs/certificates.md; or
     the list of checks that passed.

The parts, in order: `records` (the file), `sides` (a controller with its monitors,
explored by explicit search), `making` (claims and their evidence), `answers` (which
claims an answer makes), `confirmation` (checking, and comparing with cases).
"""
