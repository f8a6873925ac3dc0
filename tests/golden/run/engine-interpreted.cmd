run {} --seed 7 --engine interpreted
