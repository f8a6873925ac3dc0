run {} --seed 7 --target aarch64
