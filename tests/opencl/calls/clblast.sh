#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CLBlast as users see it: what "dpr doctor" says, the checks of the plugin
# contract with a library in its place, and a product by CLBlast itself.
set -u
# shellcheck source=../../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
build=$(cd "${top_builddir:-.}" && pwd) || exit 99
dpr=$build/tools/dpr
fake=$build/tests/opencl/calls/.libs/fake_clblast.so
if ! "$dpr" devices opencl:0 >/dev/null 2>&1; then
	echo "needs an OpenCL device"
	exit 77
fi
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-clblast.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0

# Devices that run functions of this process take a CBLAS.
DPR_BACKEND=opencl
DPR_OPTION_OPENCL_NATIVE=no
export DPR_BACKEND DPR_OPTION_OPENCL_NATIVE

# says TEXT VALUE: with this value of the option, doctor says this.
says() {
	DPR_OPTION_OPENCL_BLAS=$2 "$dpr" doctor >"$tmp/out" 2>&1
	sed -n '/^Libraries for products/,/^$/p' "$tmp/out" >"$tmp/part"
	if ! grep -q -e "$1" "$tmp/part"; then
		echo "BLAS=$2: doctor does not say \"$1\":"
		cat "$tmp/part"
		failed=1
	fi
}
case $("$dpr" devices --json opencl:0 2>/dev/null) in
*"PoCL 4"* | *"PoCL 5"*) says 'PoCL 4 and 5' "$fake" ;;
*) says 'CLBlast, .*fake_clblast.so' "$fake" ;;
esac
says 'only if DPR_OPTION_OPENCL_BLAS names it: libclblast.so.1' ''
says 'none: kernels of dpr' none
says 'DPR_OPTION_OPENCL_BLAS=/no/lib.so: this is no library' /no/lib.so

for memory in svm-coarse buffer; do
	# Without a device of this memory the status is 2.
	DPR_OPTION_OPENCL_MEMORY=$memory DPR_OPTION_OPENCL_BLAS=$fake \
		"$dpr" check-plugin --group calls \
		"$build/backends/.libs/libdpr-opencl.so"
	[ $? -ne 1 ] || failed=1
done

if DPR_OPTION_OPENCL_BLAS=libclblast.so.1 "$dpr" doctor |
	grep -q 'CLBlast, .*libclblast'; then
	DPR_OPTION_OPENCL_BLAS=libclblast.so.1 "$dpr" eval --device opencl:0 \
		'sum((eye(4) + 1) @ (eye(4) + 1))' >"$tmp/out" 2>&1 || failed=1
	cat "$tmp/out"
	grep -q '^100' "$tmp/out" || failed=1
else
	echo "without CLBlast: libclblast.so.1 is not here"
fi
exit $failed
