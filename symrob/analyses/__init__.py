"""What users ask about an envelope: summary, explain, cuts, compare."""
