opt {} --passes "PropagateSharding()"
