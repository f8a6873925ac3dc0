opt {} --passes "LowerCrossThreadReduction()"
