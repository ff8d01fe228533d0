"""Records of runs that others can check: events, chain, seals, log proofs. Pure, but for keys."""
