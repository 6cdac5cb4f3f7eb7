#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions on the host backend.
exec sh "${top_srcdir:-.}/tests/kernels/numerics.sh" host
