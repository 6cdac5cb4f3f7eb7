# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays on a device of dpr, and back, by ctypes and DLPack."""
import ctypes

import numpy as np

dpr = ctypes.CDLL("libdpr.so.0")
capsules = ctypes.pythonapi
pointer, text = ctypes.c_void_p, ctypes.c_char_p
dpr.dpr_last_error.restype = text
dpr.dpr_array_release.argtypes = [pointer]
dpr.dpr_canonical_queue.argtypes = [text, pointer]
dpr.dpr_array_from_dlpack.argtypes = [pointer, pointer, ctypes.c_int, pointer]
dpr.dpr_array_to_dlpack.argtypes = [pointer, pointer, pointer]
dpr.dpr_evaluate_with.argtypes = [text, pointer, ctypes.c_size_t, pointer, pointer]
capsules.PyCapsule_New.restype = ctypes.py_object
capsules.PyCapsule_New.argtypes = [pointer, text, pointer]
capsules.PyCapsule_GetPointer.restype = pointer
capsules.PyCapsule_GetPointer.argtypes = [ctypes.py_object, text]
capsules.PyCapsule_SetName.argtypes = [ctypes.py_object, text]
NEW, USED = b"dltensor", b"used_dltensor"


class DLPack(ctypes.Structure):  # dpr_dlpack
    _fields_ = [("versioned", pointer), ("legacy", pointer)]


class Options(ctypes.Structure):  # dpr_dlpack_options; 1: DPR_DL_CPU
    _fields_ = [("struct_size", ctypes.c_size_t), ("version", ctypes.c_uint32 * 2),
                ("device", ctypes.c_int32 * 2), ("copy", ctypes.c_uint32),
                ("order", ctypes.c_uint32), ("stream", ctypes.c_size_t)]


class Binding(ctypes.Structure):  # dpr_binding, for an array
    _fields_ = [("name", text), ("kind", ctypes.c_uint64), ("array", pointer),
                ("rest", ctypes.c_uint64)]


def check(status):
    if status:
        raise RuntimeError(dpr.dpr_last_error().decode())


class Array:
    """An array of dpr; NumPy reads it by np.from_dlpack()."""

    def __init__(self, handle):
        self.handle = handle

    def __del__(self):
        dpr.dpr_array_release(self.handle)

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **wanted):
        options = Options(ctypes.sizeof(Options), device=(1, 0))
        tensor = DLPack()
        check(dpr.dpr_array_to_dlpack(self.handle, ctypes.byref(options),
                                      ctypes.byref(tensor)))
        return capsules.PyCapsule_New(tensor.legacy, NEW, None)


# guide: from
def from_dlpack(x):
    """Take an array of NumPy, torch or another library to the default device."""
    capsule, queue, out = x.__dlpack__(), pointer(), pointer()
    check(dpr.dpr_canonical_queue(None, ctypes.byref(queue)))
    tensor = DLPack(None, capsules.PyCapsule_GetPointer(capsule, NEW))
    check(dpr.dpr_array_from_dlpack(ctypes.byref(tensor), queue, 0,
                                    ctypes.byref(out)))
    capsules.PyCapsule_SetName(capsule, USED)  # dpr calls the deleter
    return Array(out)
# guide: end


def evaluate(expression, **arrays):
    """Compute an expression of dpr over arrays."""
    bindings = (Binding * len(arrays))(*(Binding(name.encode(), 0, x.handle)
                                         for name, x in arrays.items()))
    out = pointer()
    check(dpr.dpr_evaluate_with(expression.encode(), bindings, len(bindings),
                                None, ctypes.byref(out)))
    return Array(out)


if __name__ == "__main__":
    x = from_dlpack(np.arange(5, dtype=np.float32))
    print(np.from_dlpack(evaluate("sqrt(x) + 1", x=x)))
