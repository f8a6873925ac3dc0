opt {} --passes "UpdateVDevice(new_vdevice={'target': {'kind': 'opencl'}}, index=7)"
