opt {} --passes "PartitionGraph()"
