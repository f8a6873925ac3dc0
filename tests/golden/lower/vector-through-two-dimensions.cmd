opt {} --passes "VectorizeLoop()"
