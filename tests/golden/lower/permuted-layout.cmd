opt {} --passes "InjectPermutedLayout()"
