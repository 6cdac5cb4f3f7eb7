#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exchanges arrays with NumPy, torch and CuPy in one process, without a copy:
# runs dlpack_python.py for each of these libraries that Python has.
set -u
top=${top_builddir:-.}
python=${PYTHON:-python3}
if ! command -v "$python" >/dev/null 2>&1; then
	echo "needs $python (PYTHON), which is not installed"
	exit 77
fi
if [ ! -e "$top/.libs/libdpr.so" ]; then
	echo "no $top/.libs/libdpr.so: shared libraries were not built"
	exit 77
fi
if ldd "$top/.libs/libdpr.so" 2>/dev/null | grep -q 'lib[at]san'; then
	echo "a sanitizer must be the first library of a process; Python is not"
	exit 77
fi
"$python" "${top_srcdir:-.}/tests/array/dlpack_python.py" "$top/.libs/libdpr.so"
