opt {} --passes "LiftTransformParams(shared_transform=True)"
