opt {} --passes "AllocateWorkspace()"
