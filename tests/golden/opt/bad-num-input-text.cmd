opt {} --num-input main --passes "LiftTransformParams()"
