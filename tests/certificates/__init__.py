"""Certificates: what is right is accepted, and forgeries are not."""
