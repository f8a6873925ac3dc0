opt {} --passes "LambdaLift()"
