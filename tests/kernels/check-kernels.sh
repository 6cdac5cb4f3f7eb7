#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the functions of kernels in SPIR-V, and the routines in SPIR-V and PTX,
# as they are embedded: the validator and NVIDIA's assembler, if installed, accept
# them, and not a part of them.  Routines in PTX keep their numbers in registers.
# The compilers must be refused if a kernel that calls a function which does not
# exist is compiled.
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

# modules FORMAT: write each routine in FORMAT into a file, and its name into the
# list $tmp/FORMAT.
modules() {
	tr -d '(),' <"$dir/routines.def" |
		sed -n "s/^ROUTINE$1 //p" >"$tmp/index"
	: >"$tmp/$1"
	while read -r name at size; do
		tail -c "+$((at + 1))" "$dir/routines_$1.bin" |
			head -c "$size" >"$tmp/$name.$1"
		echo "$name" >>"$tmp/$1"
	done <"$tmp/index"
	if [ "$(wc -l <"$tmp/$1")" -lt 20 ]; then
		echo "too few routines in $1"
		bad=1
	fi
}

modules spirv
while [ -n "${SPIRV_VAL-}" ] && read -r name; do
	"$SPIRV_VAL" --target-env spv1.2 "$tmp/$name.spirv" || bad=1
done <"$tmp/spirv"

# assemble NAME: whether the assembler takes routine NAME, and needs no memory
# for its numbers.  The driver assembles code that can be linked (-c), for which
# more registers are needed: then a group of 256 may have half of a
# multiprocessor's at most, if the largest tiles of small elements are computed.
assemble() {
	tr -d '\000' <"$tmp/$1.ptx" >"$tmp/$1.text"
	"$PTXAS" -v -arch=sm_90 "$tmp/$1.text" -o /dev/null >"$tmp/log" 2>&1 &&
		grep -q ' 0 bytes stack frame, 0 bytes spill stores' "$tmp/log" ||
		return 1
	case $1 in
	*64_8) return 0 ;;
	*_8) ;;
	*) return 0 ;;
	esac
	"$PTXAS" -v -c -arch=sm_90 "$tmp/$1.text" -o "$tmp/object" \
		>"$tmp/log" 2>&1 &&
		[ "$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' \
			"$tmp/log")" -le 128 ]
}
modules ptx
if [ -z "${PTXAS-}" ]; then
	echo "no ptxas: routines in PTX are not assembled"
else
	while read -r name; do
		if ! assemble "$name"; then
			echo "$name in PTX:"
			cat "$tmp/log"
			bad=1
		fi
	done <"$tmp/ptx"
	head -c 5000 "$tmp/matmul_float32_2.ptx" >"$tmp/cut.ptx"
	# A number that is written to an array and read again.
	sed 's/^{/{\n.local .align 4 .b8 l[256];\n.reg .b32 %l<3>;\
.reg .b64 %m<5>;\nmov.u32 %l1,%tid.x;\nmul.wide.u32 %m1,%l1,4;\
mov.u64 %m2,l;\nadd.s64 %m3,%m2,%m1;\nst.local.u32 [%m3],%l1;\
ld.local.u32 %l2,[l+16];\nld.param.u64 %m4,[matmul_float32_param_0];\
st.global.u32 [%m4],%l2;\n/' "$tmp/matmul_float32_2.ptx" >"$tmp/frame.ptx"
	# Without the directive that limits registers.
	sed 's/\.minnctapersm 2//' "$tmp/matmul_float32_8.ptx" \
		>"$tmp/planted_8.ptx"
	for planted in cut:fatal frame:'256 bytes stack frame' \
		planted_8:'Used 1[3-9][0-9] registers'; do
		if assemble "${planted%%:*}" ||
			! grep -q "${planted#*:}" "$tmp/log"; then
			echo "a planted fault was accepted: $planted"
			bad=1
		fi
	done
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
