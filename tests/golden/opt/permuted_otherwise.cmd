opt {} --passes "ReorderPermuteDimsAfterConcat()"
