opt {} --passes "AttachAttrLayoutFreeBuffers()"
