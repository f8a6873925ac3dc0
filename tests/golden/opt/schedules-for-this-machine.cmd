opt {} --passes optimized -o /dev/null
