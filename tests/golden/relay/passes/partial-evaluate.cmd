opt {} --passes "PartialEvaluate(), DeadCodeElimination(inline_once=True)"
