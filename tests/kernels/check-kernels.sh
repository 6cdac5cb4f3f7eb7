#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the kernels' SPIR-V and PTX as they are embedded: every module of the
# index exists, the validator and NVIDIA's assembler (if installed) accept it,
# and all functions that it calls exist.  The build must refuse a kernel that
# calls a function that does not exist.
set -u
dir=${top_builddir:-.}/kernels
[ -e "$dir/images.def" ] || dir=${top_srcdir:-.}/kernels
if [ ! -e "$dir/images.def" ]; then
	echo "this build has no SPIR-V and PTX: it wants clang, opt, llvm-spirv" \
		"and libclc of one version of LLVM, 15 to 19"
	exit 77
fi
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-kernels.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0 modules=0

take() { # FILE OFFSET SIZE TO
	tail -c +$(($2 + 1)) "$1" | head -c "$3" >"$4"
}

sed -n 's/^IMAGE(\(.*\))$/\1/p' "$dir/images.def" | tr -d , >"$tmp/list"
: >"$tmp/all.ptx"
while read -r family type spirv spirv_size ptx ptx_size; do
	name=$family.$type
	take "$dir/spirv.bin" "$spirv" "$spirv_size" "$tmp/$name.spv"
	modules=$((modules + 1))
	case $name in
	iota.*) ;;
	*)
		echo "$name: is a module, but the engine makes its kernels"
		bad=1
		;;
	esac
	take "$dir/ptx.bin" "$ptx" $((ptx_size - 1)) "$tmp/$name.ptx"
	if ! grep -q '^\.version' "$tmp/$name.ptx" ||
		! grep -q '\.entry' "$tmp/$name.ptx"; then
		echo "$name: the PTX has no version or no kernel"
		bad=1
	fi
	if grep -H '\.extern \.func' "$tmp/$name.ptx"; then
		bad=1
	fi
	# Devices without double refuse a module that names it.
	case $name in
	*.13) ;;
	*)
		if grep -q '\.f64' "$tmp/$name.ptx"; then
			echo "$name: a module of single precision uses double"
			bad=1
		fi
		;;
	esac
done <"$tmp/list"
[ $modules -ge 2 ] || { echo "only $modules modules"; bad=1; }

if [ -n "${SPIRV_VAL-}" ]; then
	for module in "$tmp"/*.spv "$dir/spirv_steps.bin"; do
		"$SPIRV_VAL" --target-env spv1.2 "$module" || bad=1
	done
else
	echo "no spirv-val: SPIR-V is not validated"
fi
if [ -n "${PTXAS-}" ]; then
	find "$tmp" -name '*.ptx' ! -name all.ptx | xargs -P 2 -n 1 \
		"$PTXAS" -arch=sm_90 -O1 -o /dev/null || bad=1
else
	echo "no ptxas: PTX is not assembled"
fi

if [ -n "${KERNEL_CLANG-}" ] && [ -n "${LIBCLC_DIR-}" ]; then
	cat >"$tmp/planted.cl" <<-'PLANTED'
		int nowhere(int x);
		kernel void k(global int *p) { *p = nowhere(*p); }
	PLANTED
	if sh "${top_srcdir:-.}/kernels/build-images.sh" --module "$tmp" "$tmp" \
		"$tmp" planted 12 planted >"$tmp/log" 2>&1; then
		echo "a kernel that calls what is nowhere was accepted"
		bad=1
	elif ! grep -q 'nowhere' "$tmp/log"; then
		echo "a kernel that calls what is nowhere fails for another reason:"
		cat "$tmp/log"
		bad=1
	fi
fi
[ $bad -eq 0 ] && echo "$modules modules"
exit $bad
