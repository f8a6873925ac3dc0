opt {} --passes "ConvertLayout(desired_layouts={}, layout_cb='choose')"
