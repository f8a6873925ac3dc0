run {} --inputs sorted-input.safetensors
