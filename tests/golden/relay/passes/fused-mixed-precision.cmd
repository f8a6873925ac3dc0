opt {} --passes "FuseOps(fuse_opt_level=2), ToMixedPrecision()"
