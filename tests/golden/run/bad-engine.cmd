run {} --seed 7 --engine imagined
