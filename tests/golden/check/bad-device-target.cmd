check {} --target cudda
