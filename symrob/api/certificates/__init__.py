"""Certificates of answers: what a checker needs to confirm them, and confirming them.

In:  the models, and an answer.
Out: a file of the schema `symrob/certificate/2`, described in docs/certificates.md; or
     what was checked of one.

The parts, in order: `records` (the file), `sides` (a controller with what is watched,
asked by explicit search), `making` (claims and their evidence), `answers` (which
claims an answer makes), `confirmation` (checking, and comparing with cases).
"""
