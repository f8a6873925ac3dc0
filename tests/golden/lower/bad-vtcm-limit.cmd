opt {} --target qcom/hexagon-v65 --passes "BindTarget(), VerifyVTCMLimit()"
