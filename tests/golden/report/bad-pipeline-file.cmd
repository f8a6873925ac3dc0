opt {} --passes @wrong.pipeline
