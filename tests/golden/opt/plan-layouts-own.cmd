opt {} --passes "PlanLayouts()"
