opt {} --passes "LiftTransformParams(shared_transform=['third'])"
