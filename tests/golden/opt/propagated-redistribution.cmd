opt {} --passes "PropagateSharding(), LegalizeRedistribute()"
