"""Games as direct programs, written from their published rules and not from the rule sheets."""
