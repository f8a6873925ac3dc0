opt {} --passes "StaticPlanBlockMemory()"
