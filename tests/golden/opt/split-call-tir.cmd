opt {} --passes @split-call-tir.pipeline
