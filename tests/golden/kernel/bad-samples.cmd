kernel {} --function add --samples 100
