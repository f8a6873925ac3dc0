opt {} --passes @missing.pipeline
