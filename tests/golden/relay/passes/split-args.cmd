opt {} --passes "SplitArgs(max_function_args=4)"
