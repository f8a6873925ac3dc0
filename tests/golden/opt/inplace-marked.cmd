opt {} --passes "DataflowUseInplaceCalls()"
bisect {} --seed 3 --passes "DataflowUseInplaceCalls()"
