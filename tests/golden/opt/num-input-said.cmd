opt {} --num-input main=2 --passes "LiftTransformParams()"
