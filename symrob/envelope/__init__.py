"""The safety envelope: problems, algorithms, results."""
