opt {} --passes "TransformMmaBufferLayout()"
