opt {} --passes "UpdateVDevice(new_vdevice={'target': {'kind': 'opencl'}, 'vdevice_id': 0, 'memory_scope': 'global'}, index=0)"
