# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 3, 224, 224), dtype="float32"), w0: R.Tensor((64, 3, 7, 7), dtype="float32"), s0: R.Tensor((64,), dtype="float32"), bb0: R.Tensor((64,), dtype="float32"), m0: R.Tensor((64,), dtype="float32"), v0: R.Tensor((64,), dtype="float32"), w1: R.Tensor((64, 64, 3, 3), dtype="float32"), s1: R.Tensor((64,), dtype="float32"), bb1: R.Tensor((64,), dtype="float32"), m1: R.Tensor((64,), dtype="float32"), v1: R.Tensor((64,), dtype="float32"), w2: R.Tensor((64, 64, 3, 3), dtype="float32"), s2: R.Tensor((64,), dtype="float32"), bb2: R.Tensor((64,), dtype="float32"), m2: R.Tensor((64,), dtype="float32"), v2: R.Tensor((64,), dtype="float32"), w3: R.Tensor((64, 64, 3, 3), dtype="float32"), s3: R.Tensor((64,), dtype="float32"), bb3: R.Tensor((64,), dtype="float32"), m3: R.Tensor((64,), dtype="float32"), v3: R.Tensor((64,), dtype="float32"), w4: R.Tensor((64, 64, 3, 3), dtype="float32"), s4: R.Tensor((64,), dtype="float32"), bb4: R.Tensor((64,), dtype="float32"), m4: R.Tensor((64,), dtype="float32"), v4: R.Tensor((64,), dtype="float32"), w5: R.Tensor((128, 64, 1, 1), dtype="float32"), s5: R.Tensor((128,), dtype="float32"), bb5: R.Tensor((128,), dtype="float32"), m5: R.Tensor((128,), dtype="float32"), v5: R.Tensor((128,), dtype="float32"), w6: R.Tensor((128, 64, 3, 3), dtype="float32"), s6: R.Tensor((128,), dtype="float32"), bb6: R.Tensor((128,), dtype="float32"), m6: R.Tensor((128,), dtype="float32"), v6: R.Tensor((128,), dtype="float32"), w7: R.Tensor((128, 128, 3, 3), dtype="float32"), s7: R.Tensor((128,), dtype="float32"), bb7: R.Tensor((128,), dtype="float32"), m7: R.Tensor((128,), dtype="float32"), v7: R.Tensor((128,), dtype="float32"), w8: R.Tensor((128, 128, 3, 3), dtype="float32"), s8: R.Tensor((128,), dtype="float32"), bb8: R.Tensor((128,), dtype="float32"), m8: R.Tensor((128,), dtype="float32"), v8: R.Tensor((128,), dtype="float32"), w9: R.Tensor((128, 128, 3, 3), dtype="float32"), s9: R.Tensor((128,), dtype="float32"), bb9: R.Tensor((128,), dtype="float32"), m9: R.Tensor((128,), dtype="float32"), v9: R.Tensor((128,), dtype="float32"), w10: R.Tensor((256, 128, 1, 1), dtype="float32"), s10: R.Tensor((256,), dtype="float32"), bb10: R.Tensor((256,), dtype="float32"), m10: R.Tensor((256,), dtype="float32"), v10: R.Tensor((256,), dtype="float32"), w11: R.Tensor((256, 128, 3, 3), dtype="float32"), s11: R.Tensor((256,), dtype="float32"), bb11: R.Tensor((256,), dtype="float32"), m11: R.Tensor((256,), dtype="float32"), v11: R.Tensor((256,), dtype="float32"), w12: R.Tensor((256, 256, 3, 3), dtype="float32"), s12: R.Tensor((256,), dtype="float32"), bb12: R.Tensor((256,), dtype="float32"), m12: R.Tensor((256,), dtype="float32"), v12: R.Tensor((256,), dtype="float32"), w13: R.Tensor((256, 256, 3, 3), dtype="float32"), s13: R.Tensor((256,), dtype="float32"), bb13: R.Tensor((256,), dtype="float32"), m13: R.Tensor((256,), dtype="float32"), v13: R.Tensor((256,), dtype="float32"), w14: R.Tensor((256, 256, 3, 3), dtype="float32"), s14: R.Tensor((256,), dtype="float32"), bb14: R.Tensor((256,), dtype="float32"), m14: R.Tensor((256,), dtype="float32"), v14: R.Tensor((256,), dtype="float32"), w15: R.Tensor((512, 256, 1, 1), dtype="float32"), s15: R.Tensor((512,), dtype="float32"), bb15: R.Tensor((512,), dtype="float32"), m15: R.Tensor((512,), dtype="float32"), v15: R.Tensor((512,), dtype="float32"), w16: R.Tensor((512, 256, 3, 3), dtype="float32"), s16: R.Tensor((512,), dtype="float32"), bb16: R.Tensor((512,), dtype="float32"), m16: R.Tensor((512,), dtype="float32"), v16: R.Tensor((512,), dtype="float32"), w17: R.Tensor((512, 512, 3, 3), dtype="float32"), s17: R.Tensor((512,), dtype="float32"), bb17: R.Tensor((512,), dtype="float32"), m17: R.Tensor((512,), dtype="float32"), v17: R.Tensor((512,), dtype="float32"), w18: R.Tensor((512, 512, 3, 3), dtype="float32"), s18: R.Tensor((512,), dtype="float32"), bb18: R.Tensor((512,), dtype="float32"), m18: R.Tensor((512,), dtype="float32"), v18: R.Tensor((512,), dtype="float32"), w19: R.Tensor((512, 512, 3, 3), dtype="float32"), s19: R.Tensor((512,), dtype="float32"), bb19: R.Tensor((512,), dtype="float32"), m19: R.Tensor((512,), dtype="float32"), v19: R.Tensor((512,), dtype="float32"), fw: R.Tensor((512, 1000), dtype="float32"), fb: R.Tensor((1000,), dtype="float32")) -> R.Tensor((1, 1000), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((1, 64, 112, 112), dtype="float32") = R.nn.conv2d(x, w0, strides=[2, 2], padding=[3, 3, 3, 3], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv1: R.Tuple(R.Tensor((1, 64, 112, 112), dtype="float32"), R.Tensor((64,), dtype="float32"), R.Tensor((64,), dtype="float32")) = R.nn.batch_norm(lv, s0, bb0, m0, v0, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv2: R.Tensor((1, 64, 112, 112), dtype="float32") = lv1[0]
            lv3: R.Tensor((64,), dtype="float32") = lv1[1]
            lv4: R.Tensor((64,), dtype="float32") = lv1[2]
            lv5: R.Tensor((1, 64, 112, 112), dtype="float32") = R.nn.relu(lv2)
            lv6: R.Tensor((1, 64, 56, 56), dtype="float32") = R.nn.max_pool2d(lv5, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1], dilation=[1, 1], ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout="NCHW")
            lv7: R.Tensor((1, 64, 56, 56), dtype="float32") = R.nn.conv2d(lv6, w1, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv8: R.Tuple(R.Tensor((1, 64, 56, 56), dtype="float32"), R.Tensor((64,), dtype="float32"), R.Tensor((64,), dtype="float32")) = R.nn.batch_norm(lv7, s1, bb1, m1, v1, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv9: R.Tensor((1, 64, 56, 56), dtype="float32") = lv8[0]
            lv10: R.Tensor((64,), dtype="float32") = lv8[1]
            lv11: R.Tensor((64,), dtype="float32") = lv8[2]
            lv12: R.Tensor((1, 64, 56, 56), dtype="float32") = R.nn.relu(lv9)
            lv13: R.Tensor((1, 64, 56, 56), dtype="float32") = R.nn.conv2d(lv12, w2, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv14: R.Tuple(R.Tensor((1, 64, 56, 56), dtype="float32"), R.Tensor((64,), dtype="float32"), R.Tensor((64,), dtype="float32")) = R.nn.batch_norm(lv13, s2, bb2, m2, v2, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv15: R.Tensor((1, 64, 56, 56), dtype="float32") = lv14[0]
            lv16: R.Tensor((64,), dtype="float32") = lv14[1]
            lv17: R.Tensor((64,), dtype="float32") = lv14[2]
            lv18: R.Tensor((1, 64, 56, 56), dtype="float32") = R.add(lv15, lv6)
            lv19: R.Tensor((1, 64, 56, 56), dtype="float32") = R.nn.relu(lv18)
            lv20: R.Tensor((1, 64, 56, 56), dtype="float32") = R.nn.conv2d(lv19, w3, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv21: R.Tuple(R.Tensor((1, 64, 56, 56), dtype="float32"), R.Tensor((64,), dtype="float32"), R.Tensor((64,), dtype="float32")) = R.nn.batch_norm(lv20, s3, bb3, m3, v3, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv22: R.Tensor((1, 64, 56, 56), dtype="float32") = lv21[0]
            lv23: R.Tensor((64,), dtype="float32") = lv21[1]
            lv24: R.Tensor((64,), dtype="float32") = lv21[2]
            lv25: R.Tensor((1, 64, 56, 56), dtype="float32") = R.nn.relu(lv22)
            lv26: R.Tensor((1, 64, 56, 56), dtype="float32") = R.nn.conv2d(lv25, w4, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv27: R.Tuple(R.Tensor((1, 64, 56, 56), dtype="float32"), R.Tensor((64,), dtype="float32"), R.Tensor((64,), dtype="float32")) = R.nn.batch_norm(lv26, s4, bb4, m4, v4, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv28: R.Tensor((1, 64, 56, 56), dtype="float32") = lv27[0]
            lv29: R.Tensor((64,), dtype="float32") = lv27[1]
            lv30: R.Tensor((64,), dtype="float32") = lv27[2]
            lv31: R.Tensor((1, 64, 56, 56), dtype="float32") = R.add(lv28, lv19)
            lv32: R.Tensor((1, 64, 56, 56), dtype="float32") = R.nn.relu(lv31)
            lv33: R.Tensor((1, 128, 28, 28), dtype="float32") = R.nn.conv2d(lv32, w5, strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv34: R.Tuple(R.Tensor((1, 128, 28, 28), dtype="float32"), R.Tensor((128,), dtype="float32"), R.Tensor((128,), dtype="float32")) = R.nn.batch_norm(lv33, s5, bb5, m5, v5, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv35: R.Tensor((1, 128, 28, 28), dtype="float32") = lv34[0]
            lv36: R.Tensor((128,), dtype="float32") = lv34[1]
            lv37: R.Tensor((128,), dtype="float32") = lv34[2]
            lv38: R.Tensor((1, 128, 28, 28), dtype="float32") = R.nn.conv2d(lv32, w6, strides=[2, 2], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv39: R.Tuple(R.Tensor((1, 128, 28, 28), dtype="float32"), R.Tensor((128,), dtype="float32"), R.Tensor((128,), dtype="float32")) = R.nn.batch_norm(lv38, s6, bb6, m6, v6, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv40: R.Tensor((1, 128, 28, 28), dtype="float32") = lv39[0]
            lv41: R.Tensor((128,), dtype="float32") = lv39[1]
            lv42: R.Tensor((128,), dtype="float32") = lv39[2]
            lv43: R.Tensor((1, 128, 28, 28), dtype="float32") = R.nn.relu(lv40)
            lv44: R.Tensor((1, 128, 28, 28), dtype="float32") = R.nn.conv2d(lv43, w7, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv45: R.Tuple(R.Tensor((1, 128, 28, 28), dtype="float32"), R.Tensor((128,), dtype="float32"), R.Tensor((128,), dtype="float32")) = R.nn.batch_norm(lv44, s7, bb7, m7, v7, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv46: R.Tensor((1, 128, 28, 28), dtype="float32") = lv45[0]
            lv47: R.Tensor((128,), dtype="float32") = lv45[1]
            lv48: R.Tensor((128,), dtype="float32") = lv45[2]
            lv49: R.Tensor((1, 128, 28, 28), dtype="float32") = R.add(lv46, lv35)
            lv50: R.Tensor((1, 128, 28, 28), dtype="float32") = R.nn.relu(lv49)
            lv51: R.Tensor((1, 128, 28, 28), dtype="float32") = R.nn.conv2d(lv50, w8, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv52: R.Tuple(R.Tensor((1, 128, 28, 28), dtype="float32"), R.Tensor((128,), dtype="float32"), R.Tensor((128,), dtype="float32")) = R.nn.batch_norm(lv51, s8, bb8, m8, v8, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv53: R.Tensor((1, 128, 28, 28), dtype="float32") = lv52[0]
            lv54: R.Tensor((128,), dtype="float32") = lv52[1]
            lv55: R.Tensor((128,), dtype="float32") = lv52[2]
            lv56: R.Tensor((1, 128, 28, 28), dtype="float32") = R.nn.relu(lv53)
            lv57: R.Tensor((1, 128, 28, 28), dtype="float32") = R.nn.conv2d(lv56, w9, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv58: R.Tuple(R.Tensor((1, 128, 28, 28), dtype="float32"), R.Tensor((128,), dtype="float32"), R.Tensor((128,), dtype="float32")) = R.nn.batch_norm(lv57, s9, bb9, m9, v9, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv59: R.Tensor((1, 128, 28, 28), dtype="float32") = lv58[0]
            lv60: R.Tensor((128,), dtype="float32") = lv58[1]
            lv61: R.Tensor((128,), dtype="float32") = lv58[2]
            lv62: R.Tensor((1, 128, 28, 28), dtype="float32") = R.add(lv59, lv50)
            lv63: R.Tensor((1, 128, 28, 28), dtype="float32") = R.nn.relu(lv62)
            lv64: R.Tensor((1, 256, 14, 14), dtype="float32") = R.nn.conv2d(lv63, w10, strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv65: R.Tuple(R.Tensor((1, 256, 14, 14), dtype="float32"), R.Tensor((256,), dtype="float32"), R.Tensor((256,), dtype="float32")) = R.nn.batch_norm(lv64, s10, bb10, m10, v10, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv66: R.Tensor((1, 256, 14, 14), dtype="float32") = lv65[0]
            lv67: R.Tensor((256,), dtype="float32") = lv65[1]
            lv68: R.Tensor((256,), dtype="float32") = lv65[2]
            lv69: R.Tensor((1, 256, 14, 14), dtype="float32") = R.nn.conv2d(lv63, w11, strides=[2, 2], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv70: R.Tuple(R.Tensor((1, 256, 14, 14), dtype="float32"), R.Tensor((256,), dtype="float32"), R.Tensor((256,), dtype="float32")) = R.nn.batch_norm(lv69, s11, bb11, m11, v11, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv71: R.Tensor((1, 256, 14, 14), dtype="float32") = lv70[0]
            lv72: R.Tensor((256,), dtype="float32") = lv70[1]
            lv73: R.Tensor((256,), dtype="float32") = lv70[2]
            lv74: R.Tensor((1, 256, 14, 14), dtype="float32") = R.nn.relu(lv71)
            lv75: R.Tensor((1, 256, 14, 14), dtype="float32") = R.nn.conv2d(lv74, w12, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv76: R.Tuple(R.Tensor((1, 256, 14, 14), dtype="float32"), R.Tensor((256,), dtype="float32"), R.Tensor((256,), dtype="float32")) = R.nn.batch_norm(lv75, s12, bb12, m12, v12, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv77: R.Tensor((1, 256, 14, 14), dtype="float32") = lv76[0]
            lv78: R.Tensor((256,), dtype="float32") = lv76[1]
            lv79: R.Tensor((256,), dtype="float32") = lv76[2]
            lv80: R.Tensor((1, 256, 14, 14), dtype="float32") = R.add(lv77, lv66)
            lv81: R.Tensor((1, 256, 14, 14), dtype="float32") = R.nn.relu(lv80)
            lv82: R.Tensor((1, 256, 14, 14), dtype="float32") = R.nn.conv2d(lv81, w13, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv83: R.Tuple(R.Tensor((1, 256, 14, 14), dtype="float32"), R.Tensor((256,), dtype="float32"), R.Tensor((256,), dtype="float32")) = R.nn.batch_norm(lv82, s13, bb13, m13, v13, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv84: R.Tensor((1, 256, 14, 14), dtype="float32") = lv83[0]
            lv85: R.Tensor((256,), dtype="float32") = lv83[1]
            lv86: R.Tensor((256,), dtype="float32") = lv83[2]
            lv87: R.Tensor((1, 256, 14, 14), dtype="float32") = R.nn.relu(lv84)
            lv88: R.Tensor((1, 256, 14, 14), dtype="float32") = R.nn.conv2d(lv87, w14, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv89: R.Tuple(R.Tensor((1, 256, 14, 14), dtype="float32"), R.Tensor((256,), dtype="float32"), R.Tensor((256,), dtype="float32")) = R.nn.batch_norm(lv88, s14, bb14, m14, v14, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv90: R.Tensor((1, 256, 14, 14), dtype="float32") = lv89[0]
            lv91: R.Tensor((256,), dtype="float32") = lv89[1]
            lv92: R.Tensor((256,), dtype="float32") = lv89[2]
            lv93: R.Tensor((1, 256, 14, 14), dtype="float32") = R.add(lv90, lv81)
            lv94: R.Tensor((1, 256, 14, 14), dtype="float32") = R.nn.relu(lv93)
            lv95: R.Tensor((1, 512, 7, 7), dtype="float32") = R.nn.conv2d(lv94, w15, strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv96: R.Tuple(R.Tensor((1, 512, 7, 7), dtype="float32"), R.Tensor((512,), dtype="float32"), R.Tensor((512,), dtype="float32")) = R.nn.batch_norm(lv95, s15, bb15, m15, v15, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv97: R.Tensor((1, 512, 7, 7), dtype="float32") = lv96[0]
            lv98: R.Tensor((512,), dtype="float32") = lv96[1]
            lv99: R.Tensor((512,), dtype="float32") = lv96[2]
            lv100: R.Tensor((1, 512, 7, 7), dtype="float32") = R.nn.conv2d(lv94, w16, strides=[2, 2], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv101: R.Tuple(R.Tensor((1, 512, 7, 7), dtype="float32"), R.Tensor((512,), dtype="float32"), R.Tensor((512,), dtype="float32")) = R.nn.batch_norm(lv100, s16, bb16, m16, v16, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv102: R.Tensor((1, 512, 7, 7), dtype="float32") = lv101[0]
            lv103: R.Tensor((512,), dtype="float32") = lv101[1]
            lv104: R.Tensor((512,), dtype="float32") = lv101[2]
            lv105: R.Tensor((1, 512, 7, 7), dtype="float32") = R.nn.relu(lv102)
            lv106: R.Tensor((1, 512, 7, 7), dtype="float32") = R.nn.conv2d(lv105, w17, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv107: R.Tuple(R.Tensor((1, 512, 7, 7), dtype="float32"), R.Tensor((512,), dtype="float32"), R.Tensor((512,), dtype="float32")) = R.nn.batch_norm(lv106, s17, bb17, m17, v17, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv108: R.Tensor((1, 512, 7, 7), dtype="float32") = lv107[0]
            lv109: R.Tensor((512,), dtype="float32") = lv107[1]
            lv110: R.Tensor((512,), dtype="float32") = lv107[2]
            lv111: R.Tensor((1, 512, 7, 7), dtype="float32") = R.add(lv108, lv97)
            lv112: R.Tensor((1, 512, 7, 7), dtype="float32") = R.nn.relu(lv111)
            lv113: R.Tensor((1, 512, 7, 7), dtype="float32") = R.nn.conv2d(lv112, w18, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv114: R.Tuple(R.Tensor((1, 512, 7, 7), dtype="float32"), R.Tensor((512,), dtype="float32"), R.Tensor((512,), dtype="float32")) = R.nn.batch_norm(lv113, s18, bb18, m18, v18, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv115: R.Tensor((1, 512, 7, 7), dtype="float32") = lv114[0]
            lv116: R.Tensor((512,), dtype="float32") = lv114[1]
            lv117: R.Tensor((512,), dtype="float32") = lv114[2]
            lv118: R.Tensor((1, 512, 7, 7), dtype="float32") = R.nn.relu(lv115)
            lv119: R.Tensor((1, 512, 7, 7), dtype="float32") = R.nn.conv2d(lv118, w19, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv120: R.Tuple(R.Tensor((1, 512, 7, 7), dtype="float32"), R.Tensor((512,), dtype="float32"), R.Tensor((512,), dtype="float32")) = R.nn.batch_norm(lv119, s19, bb19, m19, v19, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv121: R.Tensor((1, 512, 7, 7), dtype="float32") = lv120[0]
            lv122: R.Tensor((512,), dtype="float32") = lv120[1]
            lv123: R.Tensor((512,), dtype="float32") = lv120[2]
            lv124: R.Tensor((1, 512, 7, 7), dtype="float32") = R.add(lv121, lv112)
            lv125: R.Tensor((1, 512, 7, 7), dtype="float32") = R.nn.relu(lv124)
            lv126: R.Tensor((1, 512, 1, 1), dtype="float32") = R.mean(lv125, axis=[2, 3], keepdims=True)
            lv127: R.Tensor((1, 512), dtype="float32") = R.reshape(lv126, R.shape([1, 512]))
            lv128: R.Tensor((1, 1000), dtype="float32") = R.matmul(lv127, fw, out_dtype="void")
            gv: R.Tensor((1, 1000), dtype="float32") = R.add(lv128, fb)
            R.output(gv)
        return gv
