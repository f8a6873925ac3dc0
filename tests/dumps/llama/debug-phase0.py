# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def decode(input_ids: R.Tensor((1, 1), dtype="int32"), all_seq_len: R.Shape(["n"]), kv_cache: R.Tuple(R.Object, R.Object), params: R.Tuple(R.Tensor((512, 64), dtype="float16"), R.Tensor((192, 64), dtype="float16"), R.Tensor((64, 64), dtype="float16"), R.Tensor((64,), dtype="float16"))) -> R.Tuple(R.Tensor((1, 1, 512), dtype="float32"), R.Tuple(R.Object, R.Object)):
        n = T.int64()
        R.func_attr({"num_input": 3})
        with R.dataflow():
            lv: R.Tensor((512, 64), dtype="float16") = params[0]
            lv1: R.Tensor((1,), dtype="int32") = R.reshape(input_ids, R.shape([1]))
            lv2: R.Tensor((1, 64), dtype="float16") = R.take(lv, lv1, axis=0)
            lv3: R.Tensor((1, 1, 64), dtype="float16") = R.reshape(lv2, R.shape([1, 1, 64]))
            lv4: R.Tensor((64,), dtype="float16") = params[3]
            lv5: R.Tensor((1, 1, 64), dtype="float16") = R.nn.rms_norm(lv3, lv4, axes=[-1], epsilon=1.0000000000000001e-05)
            lv6: R.Tensor((192, 64), dtype="float16") = params[1]
            lv7: R.Tensor((64, 192), dtype="float16") = R.permute_dims(lv6, axes=None)
            lv8: R.Tensor((1, 1, 192), dtype="float16") = R.matmul(lv5, lv7, out_dtype="void")
            lv9: R.Tuple(R.Tensor((1, 1, 64), dtype="float16"), R.Tensor((1, 1, 64), dtype="float16"), R.Tensor((1, 1, 64), dtype="float16")) = R.split(lv8, indices_or_sections=3, axis=-1)
            lv10: R.Tensor((1, 1, 64), dtype="float16") = lv9[0]
            lv11: R.Tensor((1, 1, 64), dtype="float16") = lv9[1]
            lv12: R.Tensor((1, 1, 4, 16), dtype="float16") = R.reshape(lv10, R.shape([1, 1, 4, 16]))
            lv13: R.Tensor((1, 1, 4, 16), dtype="float16") = R.reshape(lv11, R.shape([1, 1, 4, 16]))
            lv14: R.Tensor((1, 1, 4, 16), dtype="float16") = R.multiply(lv12, metadata["relax.expr.Constant"][0])
            lv15: R.Object = kv_cache[0]
            lv16: R.Tensor((1, 4, 16), dtype="float16") = R.squeeze(lv13, axis=[0])
            lv17: R.Object = R.call_pure_packed("vm.builtin.attention_kv_cache_append", lv15, lv16, sinfo_args=(R.Object,))
            lv18: R.Tensor((n, 4, 16), dtype="float16") = R.call_pure_packed("vm.builtin.attention_kv_cache_view", lv17, R.shape([n, 4, 16]), sinfo_args=(R.Tensor((n, 4, 16), dtype="float16"),))
            lv19: R.Tensor((4, n, 16), dtype="float16") = R.permute_dims(lv18, axes=[1, 0, 2])
            lv20: R.Tensor((4, 1, 16), dtype="float16") = R.reshape(lv14, R.shape([4, 1, 16]))
            lv21: R.Tensor((4, 16, n), dtype="float16") = R.permute_dims(lv19, axes=[0, 2, 1])
            lv22: R.Tensor((4, 1, n), dtype="float16") = R.matmul(lv20, lv21, out_dtype="void")
            lv23: R.Tensor((4, 1, n), dtype="float16") = R.divide(lv22, metadata["relax.expr.Constant"][1])
            lv24: R.Tensor((1, 1, 1, n), dtype="float16") = R.full(R.shape([1, 1, 1, n]), metadata["relax.expr.Constant"][2], dtype="float16")
            lv25: R.Tensor((1, 1, n), dtype="float16") = R.squeeze(lv24, axis=[0])
            lv26: R.Tensor((4, 1, n), dtype="float16") = R.minimum(lv23, lv25)
            lv27: R.Tensor((4, 1, n), dtype="float16") = R.nn.softmax(lv26, axis=-1)
            lv28: R.Tensor((4, 1, 16), dtype="float16") = R.matmul(lv27, lv19, out_dtype="void")
            lv29: R.Tensor((1, 1, 64), dtype="float16") = R.reshape(lv28, R.shape([1, 1, 64]))
            lv30: R.Tensor((64, 64), dtype="float16") = params[2]
            lv31: R.Tensor((64, 64), dtype="float16") = R.permute_dims(lv30, axes=None)
            lv32: R.Tensor((1, 1, 64), dtype="float16") = R.matmul(lv29, lv31, out_dtype="void")
            lv33: R.Tensor((1, 1, 64), dtype="float16") = R.add(lv3, lv32)
            lv34: R.Tensor((64, 512), dtype="float16") = R.permute_dims(lv, axes=None)
            lv35: R.Tensor((1, 1, 512), dtype="float16") = R.matmul(lv33, lv34, out_dtype="void")
            lv36: R.Tensor((1, 1, 512), dtype="float32") = R.astype(lv35, dtype="float32")
            lv37: R.Object = kv_cache[1]
            gv: R.Tuple(R.Tensor((1, 1, 512), dtype="float32"), R.Tuple(R.Object, R.Object)) = lv36, (lv17, lv37)
            R.output(gv)
        return gv

# Metadata omitted. Use show_meta=True in script() method to show it.
