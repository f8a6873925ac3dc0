opt {} --passes @comments.pipeline
