"""States, actions and transitions in bits; sets and relations as BDDs."""
