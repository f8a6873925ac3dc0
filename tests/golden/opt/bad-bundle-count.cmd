opt {} --passes "BundleModelParams()"
