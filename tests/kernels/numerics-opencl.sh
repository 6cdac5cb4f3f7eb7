#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions on OpenCL devices, by the best path to memory that each
# has (shared virtual memory on PoCL).
exec sh "${top_srcdir:-.}/tests/kernels/numerics.sh" opencl
