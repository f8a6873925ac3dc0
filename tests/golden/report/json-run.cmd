run {} --json --seed 3
