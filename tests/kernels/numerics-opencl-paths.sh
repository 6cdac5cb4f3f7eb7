#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions on OpenCL devices through each path to memory: addresses of
# coarse-grained or fine-grained shared virtual memory or of unified shared memory,
# and cl_mem objects, as on drivers without addresses.  CPUs run native code, so all
# cases are checked there, in some of their layouts, in turn, and the bits of all
# results must be those of the host backend.
numerics=${top_builddir:-.}/tests/kernels/api_numerics
tmp=$(mktemp "${TMPDIR:-/tmp}/dpr-numerics.XXXXXX") || exit 99
trap 'rm -f "$tmp"' EXIT
result=77
DPR_TEST_TURNS=1
export DPR_TEST_TURNS
[ -z "${DPR_TEST_ALL-}" ] || unset DPR_TEST_TURNS

# check PATH SELECTOR CHOICE: compare with NumPy; a path that no driver has is no
# failure.
check() {
	DPR_OPTION_OPENCL_MEMORY=$1 "$numerics" "$2" 0 1 "$3" >"$tmp"
	rc=$?
	cat "$tmp"
	echo "$2, memory by $1: $rc"
	case $rc in
	0) [ "$result" != 77 ] || result=0 ;;
	77) ;;
	*) result=$rc ;;
	esac
}

"$numerics" host 0 1 all >"$tmp" || exit
cat "$tmp"
bits=$(grep '^bits' "$tmp") || exit 99
for path in usm svm-fine svm-coarse buffer; do
	check "$path" opencl:cpu:0 all
	if [ $rc = 0 ] && ! grep -qx "$bits" "$tmp"; then
		echo "the bits are not those of the host"
		result=1
	fi
done
# A driver of another device compiles a kernel for each case.
check buffer 'opencl:gpu,opencl:accelerator' \
	"$([ -n "${DPR_TEST_ALL-}" ] && echo all || echo each)"
exit "$result"
