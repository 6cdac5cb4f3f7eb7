# SPDX-License-Identifier: Apache-2.0
"""Arrays to and from NumPy, torch and CuPy by DLPack, with libdpr by ctypes.

usage: dlpack_python.py LIBDPR
Exits 77 if none of the libraries is installed.
"""

import ctypes
import gc
import sys

CUDA = 2
IF_NEEDED, ALWAYS, NEVER = 0, 1, 2
STREAM, UNORDERED = 1, 2

dpr = ctypes.CDLL(sys.argv[1])
api = ctypes.pythonapi
void = ctypes.c_void_p

api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [void, void, void]
api.PyCapsule_IsValid.argtypes = [void, ctypes.c_char_p]
api.PyCapsule_GetPointer.restype = void
api.PyCapsule_GetPointer.argtypes = [void, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [void, void]


class Version(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class Managed(ctypes.Structure):  # dpr_dlpack
    _fields_ = [("versioned", void), ("legacy", void)]


class Options(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("version", Version),
        ("device", Device),
        ("copy", ctypes.c_uint32),
        ("order", ctypes.c_uint32),
        ("stream", ctypes.c_size_t),
    ]


dpr.dpr_last_error.restype = ctypes.c_char_p
dpr.dpr_array_release.argtypes = [void]
dpr.dpr_array_release.restype = None
dpr.dpr_array_queue.restype = void
dpr.dpr_array_queue.argtypes = [void]
dpr.dpr_array_to_dlpack.argtypes = [void, void, void]
dpr.dpr_array_from_dlpack.argtypes = [void, void, ctypes.c_int, void]
dpr.dpr_array_dlpack_device.argtypes = [void, void]
dpr.dpr_canonical_queue.argtypes = [ctypes.c_char_p, void]
dpr.dpr_queue_native.argtypes = [void, void]
dpr.dpr_queue_wait.argtypes = [void]
dpr.dpr_array_usm.restype = void
dpr.dpr_array_usm.argtypes = [void]
dpr.dpr_usm_size.restype = ctypes.c_size_t
dpr.dpr_usm_size.argtypes = [void]
dpr.dpr_usm_fill.argtypes = [void, void, ctypes.c_size_t, ctypes.c_char_p,
                             ctypes.c_size_t, ctypes.c_size_t, void, void]

# Names of capsules, which keep pointers to these buffers.
NEW = [ctypes.create_string_buffer(n)
       for n in (b"dltensor", b"dltensor_versioned")]
USED = [ctypes.create_string_buffer(b"used_" + n.value) for n in NEW]


def check(status):
    if status:
        raise BufferError(dpr.dpr_last_error().decode())


def release(pointer, versioned):
    """Call the deleter of a tensor."""
    at = pointer + (16 if versioned else 56)
    function = ctypes.cast(at, ctypes.POINTER(void))[0]
    if function:
        ctypes.CFUNCTYPE(None, void)(function)(pointer)


@ctypes.CFUNCTYPE(None, void)
def capsule_ends(capsule):
    """Give back the tensor of a capsule that was not consumed."""
    for versioned in (0, 1):
        if api.PyCapsule_IsValid(capsule, NEW[versioned].value):
            release(api.PyCapsule_GetPointer(capsule, NEW[versioned].value),
                    versioned)


class Array:
    """A dpr array, as other libraries see it."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __del__(self):
        dpr.dpr_array_release(self.pointer)

    def __dlpack_device__(self):
        device = Device()
        check(dpr.dpr_array_dlpack_device(self.pointer, ctypes.byref(device)))
        return device.type, device.id

    def __dlpack__(self, stream=None, max_version=None, dl_device=None,
                   copy=None):
        options = Options(struct_size=ctypes.sizeof(Options))
        if max_version:
            options.version = Version(*max_version)
        if dl_device:
            options.device = Device(*map(int, dl_device))
        options.copy = {None: IF_NEEDED, True: ALWAYS, False: NEVER}[copy]
        on_cuda = self.__dlpack_device__()[0] == CUDA
        if on_cuda and stream == -1:
            options.order = UNORDERED
        # 2 is a different stream on each thread: nothing can wait for it.
        elif on_cuda and stream != 2:
            options.order, options.stream = STREAM, stream or 1
        out = Managed()
        check(dpr.dpr_array_to_dlpack(self.pointer, ctypes.byref(options),
                                      ctypes.byref(out)))
        return api.PyCapsule_New(
            out.versioned or out.legacy,
            ctypes.addressof(NEW[1 if out.versioned else 0]),
            ctypes.cast(capsule_ends, void))

    def fill(self, byte):
        queue = dpr.dpr_array_queue(self.pointer)
        usm = dpr.dpr_array_usm(self.pointer)
        check(dpr.dpr_usm_fill(queue, usm, 0, bytes([byte]), 1,
                               dpr.dpr_usm_size(usm), None, None))

    def wait(self):
        check(dpr.dpr_queue_wait(dpr.dpr_array_queue(self.pointer)))


def from_dlpack(x, queue, copy=NEVER, legacy=False, stream=None):
    """Import an array of another library on a queue."""
    options = {} if legacy else {"max_version": (1, 1)}
    if stream:
        options["stream"] = stream
    try:
        capsule = x.__dlpack__(**options)
    except TypeError:
        options.pop("max_version", None)
        capsule = x.__dlpack__(**options)
    versioned = api.PyCapsule_IsValid(id(capsule), NEW[1].value)
    pointer = api.PyCapsule_GetPointer(id(capsule), NEW[versioned].value)
    managed = Managed(pointer, None) if versioned else Managed(None, pointer)
    out = void()
    check(dpr.dpr_array_from_dlpack(ctypes.byref(managed), queue, copy,
                                    ctypes.byref(out)))
    api.PyCapsule_SetName(id(capsule), ctypes.addressof(USED[versioned]))
    return Array(out.value)


def find_queue(selector):
    queue = void()
    if dpr.dpr_canonical_queue(selector, ctypes.byref(queue)):
        return None
    return queue.value


def refused(part, call):
    try:
        call()
    except BufferError as error:
        assert part in str(error), error
        return
    raise AssertionError("not refused: " + part)


def views(a):
    """Views of an array of shape (4, 6)."""
    yield a
    yield a.T
    yield a[1:3, ::2]
    yield a[2]
    yield a[:0]
    yield a.reshape(2, 2, 6)[:, 1]


def numpy_all(np, queue):
    for name in ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
                 "float16 float32 float64 complex64 complex128").split():
        base = np.arange(24).reshape(4, 6).astype(name)
        for a in [*views(base), base[::-1, ::-2], base[1, 1:2].reshape(())]:
            for legacy in (False, True):
                x = from_dlpack(a, queue, legacy=legacy)
                b = np.from_dlpack(x)
                assert b.dtype == a.dtype and b.shape == a.shape
                assert (b == a).all()
                assert not a.size or np.shares_memory(a, b)
    a = np.zeros(8, np.int32)
    x = from_dlpack(a, queue)
    b = np.from_dlpack(x)
    x.fill(1)
    x.wait()
    assert (a == 0x01010101).all() and b[7] == a[7]
    a[3] = 5
    assert b[3] == 5
    c = np.from_dlpack(x, copy=True)
    assert c[3] == 5 and not np.shares_memory(a, c)


def numpy_life(np, queue):
    a = np.arange(8)
    before = sys.getrefcount(a)
    x = from_dlpack(a, queue)
    assert sys.getrefcount(a) > before
    b = np.from_dlpack(x)
    del x
    assert sys.getrefcount(a) > before and b[7] == 7
    del b
    gc.collect()
    check(dpr.dpr_queue_wait(queue))
    assert sys.getrefcount(a) == before, sys.getrefcount(a)
    # A capsule that is not consumed gives its array back.
    x = from_dlpack(a, queue)
    x.__dlpack__()
    x.__dlpack__(max_version=(1, 0))
    del x
    check(dpr.dpr_queue_wait(queue))
    assert sys.getrefcount(a) == before, sys.getrefcount(a)


def numpy_refusals(np, queue):
    a = np.arange(8)
    a.flags.writeable = False
    x = from_dlpack(a, queue)
    refused("read-only", lambda: x.fill(1))
    assert not np.from_dlpack(x).flags.writeable
    assert a[7] == 7
    crooked = np.zeros(33, np.uint8)[1:].view(np.float64)
    refused("not multiples", lambda: from_dlpack(crooked, queue))


def torch_cpu(torch, queue):
    for dtype in (torch.bool, torch.int8, torch.uint8, torch.int64,
                  torch.float16, torch.bfloat16, torch.float32,
                  torch.complex128):
        for a in views(torch.arange(24).reshape(4, 6).to(dtype)):
            x = from_dlpack(a, queue)
            b = torch.from_dlpack(x)
            assert b.dtype == dtype and torch.equal(a, b)
            assert not a.numel() or a.data_ptr() == b.data_ptr()


def device_memory(lib, queue, ones, full, pointer, synchronize):
    """Both ways on a CUDA device, without a copy; work is ordered by streams."""
    native = ctypes.c_size_t()
    check(dpr.dpr_queue_native(queue, ctypes.byref(native)))
    a = ones()
    for byte in range(1, 9):
        # The library's work comes first, then dpr's, then the library's again.
        full(a, 0)
        x = from_dlpack(a, queue, stream=native.value)
        x.fill(byte)
        b = lib.from_dlpack(x)
        assert pointer(a) == pointer(b)
        total = int((b == 0x01010101 * byte).sum())
        synchronize()
        assert total == 1 << 22
        x.wait()


def main():
    tested = []
    host = find_queue(b"host")
    cuda = find_queue(b"cuda")
    try:
        import numpy
    except ImportError:
        numpy = None
    if numpy and host and int(numpy.__version__.split(".")[0]) >= 2:
        numpy_all(numpy, host)
        numpy_life(numpy, host)
        numpy_refusals(numpy, host)
        tested.append("numpy")
    try:
        import torch
    except ImportError:
        torch = None
    if torch and host:
        torch_cpu(torch, host)
        tested.append("torch")
    if torch and cuda and torch.cuda.is_available():
        device_memory(
            torch, cuda,
            lambda: torch.ones(1 << 22, dtype=torch.int32, device="cuda"),
            lambda a, value: a.fill_(value), lambda a: a.data_ptr(),
            torch.cuda.synchronize)
        tested.append("torch with CUDA")
    try:
        import cupy
    except ImportError:
        cupy = None
    if cupy and cuda:
        device_memory(
            cupy, cuda, lambda: cupy.ones(1 << 22, dtype=cupy.int32),
            lambda a, value: a.fill(value), lambda a: a.data.ptr,
            lambda: cupy.cuda.runtime.deviceSynchronize())
        tested.append("cupy")
    if not tested:
        print("needs NumPy 2 or torch with the backend host, or torch or CuPy "
              "with the backend cuda")
        return 77
    print("tested with " + ", ".join(tested))
    return 0


sys.exit(main())
