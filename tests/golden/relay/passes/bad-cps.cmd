opt {} --passes "UnCPS()"
