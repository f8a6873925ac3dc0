opt {} --passes opt_llm
