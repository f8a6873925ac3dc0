opt {} --passes "DataflowUseInplaceCalls()"
