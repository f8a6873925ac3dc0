run {} --seed 3 --against abacus
