opt {} --passes "ConvertBlocksToOpaque()"
