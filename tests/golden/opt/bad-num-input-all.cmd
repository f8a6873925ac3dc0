opt {} --num-input main=0 --passes "LiftTransformParams()"
