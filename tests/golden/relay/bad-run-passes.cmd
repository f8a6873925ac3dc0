run {} --seed 1 --passes "ToANormalForm()"
