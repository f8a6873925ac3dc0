bisect {} --seed 3 --search-only --passes fused
