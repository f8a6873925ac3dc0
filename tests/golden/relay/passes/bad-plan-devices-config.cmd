opt {} --passes "PlanDevices(config='cuda')"
