opt {} --passes "LiftTransformParams()" --config "{"""relax.lift_transform_params.consume_params""": true}"
