"""Results that one can look at: text, JSON, tables, pictures."""
