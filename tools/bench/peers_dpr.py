# SPDX-License-Identifier: Apache-2.0
"""dpr's expressions over the arrays of other libraries, by ctypes.

For the scripts that measure dpr beside its peers.  Arrays come in by DLPack,
without a copy.
"""

import ctypes
import sys

void = ctypes.c_void_p


class Managed(ctypes.Structure):  # dpr_dlpack
    _fields_ = [("versioned", void), ("legacy", void)]


class Operand(ctypes.Structure):  # dpr_operand, of an array
    _fields_ = [
        ("kind", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("array", void),
        ("unused", void),
    ]


class Binding(ctypes.Structure):  # dpr_binding
    _fields_ = [("name", ctypes.c_char_p), ("value", Operand)]


api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype = void
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = ctypes.create_string_buffer(b"used_dltensor")
dpr = None  # the library, after load()


def load(path):
    """Open the library, before anything else here is used."""
    global dpr
    dpr = ctypes.CDLL(path)
    dpr.dpr_last_error.restype = ctypes.c_char_p
    dpr.dpr_array_release.argtypes = [void]
    dpr.dpr_array_release.restype = None
    dpr.dpr_array_from_dlpack.argtypes = [void, void, ctypes.c_int, void]
    dpr.dpr_canonical_queue.argtypes = [ctypes.c_char_p, void]
    dpr.dpr_queue_wait.argtypes = [void]
    dpr.dpr_expression_create.argtypes = [ctypes.c_char_p, void]
    dpr.dpr_expression_release.argtypes = [void]
    dpr.dpr_expression_release.restype = None
    dpr.dpr_expression_apply.argtypes = [void, void, ctypes.c_size_t, void,
                                         void, ctypes.c_size_t]
    dpr.dpr_put.argtypes = [void, void, Operand, ctypes.c_int, ctypes.c_int]
    dpr.dpr_array_to_memory.argtypes = [void, void, ctypes.c_size_t, void]
    dpr.dpr_array_nbytes.argtypes = [void]
    dpr.dpr_array_nbytes.restype = ctypes.c_size_t
    dpr.dpr_array_size.argtypes = [void]
    dpr.dpr_array_size.restype = ctypes.c_int64


def check(status):
    if status:
        sys.exit("dpr: " + dpr.dpr_last_error().decode())


def queue_of(selector):
    out = void()
    check(dpr.dpr_canonical_queue(selector, ctypes.byref(out)))
    return out


def to_array(x, queue):
    """An array over the memory of an array of another library."""
    capsule = x.__dlpack__()
    managed = Managed(None, api.PyCapsule_GetPointer(capsule, b"dltensor"))
    out = void()
    check(dpr.dpr_array_from_dlpack(ctypes.byref(managed), queue, 0,
                                    ctypes.byref(out)))
    api.PyCapsule_SetName(capsule, ctypes.cast(USED, ctypes.c_char_p))
    return out


class Ours:
    """An expression of dpr with its operands."""

    def __init__(self, text, operands, queue):
        self.queue = queue
        self.expression, self.result = void(), void()
        check(dpr.dpr_expression_create(text.encode(),
                                        ctypes.byref(self.expression)))
        self.arrays = [to_array(t, queue) for t in operands.values()]
        self.bindings = (Binding * len(operands))(*[
            Binding(name.encode(), Operand(0, 0, array.value, None))
            for name, array in zip(operands, self.arrays)])

    def call(self):
        dpr.dpr_array_release(self.result)
        self.result = void()
        check(dpr.dpr_expression_apply(
            self.expression, self.bindings, len(self.bindings), None,
            ctypes.byref(self.result), 1))

    def wait(self):
        check(dpr.dpr_queue_wait(self.queue))

    def read(self, address, count):
        """Copy the result, if it has `count` elements; else return False."""
        if dpr.dpr_array_size(self.result) != count:
            return False
        check(dpr.dpr_array_to_memory(
            self.result, address, dpr.dpr_array_nbytes(self.result), None))
        return True

    def close(self):
        dpr.dpr_array_release(self.result)
        for array in self.arrays:
            dpr.dpr_array_release(array)
        dpr.dpr_expression_release(self.expression)


class Put:
    """dpr_put() of values along axis 0.  The first operand is written."""

    def __init__(self, operands, queue):
        self.queue = queue
        self.arrays = [to_array(t, queue) for t in operands.values()]
        self.result = self.arrays[0]

    def call(self):
        x, indices, values = self.arrays
        check(dpr.dpr_put(x, indices, Operand(0, 0, values.value, None), 0, 1))

    wait, read = Ours.wait, Ours.read

    def close(self):
        for array in self.arrays:
            dpr.dpr_array_release(array)
