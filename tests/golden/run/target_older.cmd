run {} --seed 7 --target x86-64-v2
