#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the functions of kernels in SPIR-V as they are embedded: the validator,
# if installed, accepts them, and not a part of them.  The compilers must be
# refused if a kernel that calls a function which does not exist is compiled.
set -u
dir=${top_builddir:-.}/kernels
[ -e "$dir/spirv_steps.bin" ] || dir=${top_srcdir:-.}/kernels
if [ ! -e "$dir/spirv_steps.bin" ]; then
	echo "this build has no SPIR-V and PTX: it wants clang, opt, llvm-spirv" \
		"and libclc of one version of LLVM, 15, 17, 18 or 19"
	exit 77
fi
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-kernels.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0

if [ -n "${SPIRV_VAL-}" ]; then
	"$SPIRV_VAL" --target-env spv1.2 "$dir/spirv_steps.bin" || bad=1
	# Without its last words it is one function that does not end.
	size=$(wc -c <"$dir/spirv_steps.bin")
	head -c $((size - 8)) "$dir/spirv_steps.bin" >"$tmp/cut.bin"
	if "$SPIRV_VAL" --target-env spv1.2 "$tmp/cut.bin" >"$tmp/log" 2>&1; then
		echo "a module that ends in a function is valid for $SPIRV_VAL"
		bad=1
	fi
else
	echo "no spirv-val: SPIR-V is not validated"
fi

# try CALLED: compile a kernel that calls @CALLED, into $tmp/log.
try() {
	cat >"$tmp/planted.cl" <<-PLANTED
		int nowhere(int x);
		kernel void k(global int *p) { *p = $1(*p); }
	PLANTED
	sh "${top_srcdir:-.}/kernels/try-compilers.sh" "$tmp/planted" \
		>"$tmp/log" 2>&1
}

if [ -n "${KERNEL_CLANG-}" ] && [ -n "${LIBCLC_DIR-}" ]; then
	if ! try popcount; then
		echo "a kernel is not compiled:"
		cat "$tmp/log"
		bad=1
	fi
	if try nowhere; then
		echo "a kernel that calls what is nowhere was accepted"
		bad=1
	elif ! grep -q 'nowhere' "$tmp/log"; then
		echo "a kernel that calls what is nowhere fails for another reason:"
		cat "$tmp/log"
		bad=1
	fi
fi
exit $bad
