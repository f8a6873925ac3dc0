check {} --json
