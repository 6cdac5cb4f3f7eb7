#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exchanges arrays with NumPy, torch and CuPy in one process, without a copy:
# runs dlpack_python.py for each of these libraries that Python has.  With NumPy it
# also runs the program of the guide.
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
if "$python" -c 'from numpy import from_dlpack' 2>/dev/null; then
	got=$(LD_LIBRARY_PATH="$top/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
		"$python" "${top_srcdir:-.}/examples/guide/dlpack_numpy.py") || exit 1
	if [ "$got" != '[1.        2.        2.4142137 2.732051  3.       ]' ]; then
		echo "dlpack_numpy.py: $got"
		exit 1
	fi
fi
"$python" "${top_srcdir:-.}/tests/array/dlpack_python.py" "$top/.libs/libdpr.so"
