run {} --seed 1 --passes @wrong.pipeline
