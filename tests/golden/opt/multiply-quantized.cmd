opt {} --passes "MultiplyQuantized()" --target x86-64-v3
