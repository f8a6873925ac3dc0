opt {} --num-input main=4 --passes "LiftTransformParams()"
