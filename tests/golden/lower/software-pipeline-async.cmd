opt {} --passes "InjectSoftwarePipeline()"
