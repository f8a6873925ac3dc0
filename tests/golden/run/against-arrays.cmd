run ../../views/walks/transformer --against ../../views/walks/transformer/activations.npz
run ../../views/walks/transformer --params ../../views/walks/transformer/params_right.safetensors --against ../../views/walks/transformer/activations.npz
run ../../views/walks/transformer --params ../../views/walks/transformer/params_shape.safetensors --against ../../views/walks/transformer/activations.npz
run ../../views/walks/transformer --against ../../views/walks/transformer/inputs.npz
