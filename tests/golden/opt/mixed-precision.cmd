opt {} --passes "ToMixedPrecision(out_dtype='float16', fp16_input_names=['w'])"
