opt {} --passes "FuseOps()" --config "{"""relax.FuseOps.max_depth""": }"
