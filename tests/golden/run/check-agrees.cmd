run {} --seed 7 --check
