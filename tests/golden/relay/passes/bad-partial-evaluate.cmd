opt {} --passes "PartialEvaluate()"
