run {} --seed 7 --engine stepped
