build {} -o none
