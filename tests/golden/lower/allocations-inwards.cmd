opt {} --passes "PlanAndUpdateBufferAllocationLocation(), CompactBufferAllocation()"
