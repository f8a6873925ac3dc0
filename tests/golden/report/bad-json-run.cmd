run {} --json --func other
