opt {} --passes "LiftTransformParams()"
