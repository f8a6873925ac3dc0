bisect {} --seed 3 --search-only --passes default --symbol n=5
