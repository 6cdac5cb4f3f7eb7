#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compile the modules of the array kernels that the engine does not make itself
# to SPIR-V and PTX, check them, and write OUT/spirv.bin, OUT/ptx.bin and their
# index OUT/images.def.
#
# usage: build-images.sh SOURCES OUT
#        SOURCES has the .cl files
# Environment: KERNEL_CLANG, KERNEL_OPT, LLVM_SPIRV, LIBCLC_DIR; SPIRV_VAL and
# PTXAS where they are installed.
set -eu

# One module: build-images.sh --module SOURCES OUT TMP FAMILY TYPE TEXT OPTION...
# -O2 and even simplifycfg make llvm-spirv-15 write modules that are not valid:
# the bitcode is only cleaned a little, drivers optimise themselves.  opt-18 and
# 19 say each time that there is no code generator for SPIR-V.
module() {
	sources=$1 out=$2 tmp=$3 family=$4 type=$5 text=$6
	shift 6
	base=$tmp/$family.$type
	common="-x cl -cl-std=CL1.2 -Xclang -finclude-default-header -w
		-DDPR_CPU=0"
	# shellcheck disable=SC2086 # common is several words
	"$KERNEL_CLANG" $common "$@" -target spir64-unknown-unknown -O2 \
		-Xclang -disable-llvm-passes -emit-llvm -c "$tmp/$text.cl" \
		-o "$base.raw.bc"
	# shellcheck disable=SC2086
	"$KERNEL_OPT" $typed -passes='function(sroa,early-cse)' \
		"$base.raw.bc" -o "$base.bc" 2>"$base.log" || {
		cat "$base.log" >&2
		exit 1
	}
	"$LLVM_SPIRV" --spirv-max-version=1.2 "$base.bc" -o "$base.spv"
	if [ -n "${SPIRV_VAL-}" ]; then
		"$SPIRV_VAL" --target-env spv1.2 "$base.spv"
	fi

	# --cuda-path: with a CUDA in sight clang would write a later version.
	# shellcheck disable=SC2086
	"$KERNEL_CLANG" $common "$@" -target nvptx64-nvidia-cuda \
		--cuda-path=/nonexistent -nogpulib -Xclang -target-cpu \
		-Xclang sm_60 -Xclang -target-feature -Xclang +ptx60 -Xclang \
		-cl-ext=+cl_khr_fp64 -O3 -Wno-linker-warnings -Xclang \
		-mlink-builtin-bitcode -Xclang \
		"$LIBCLC_DIR/nvptx64--nvidiacl.bc" -S "$tmp/$text.cl" \
		-o "$base.ptx"
	if grep '\.extern \.func' "$base.ptx"; then
		echo "$family $type: PTX calls a function that is nowhere" >&2
		exit 1
	fi
	if [ -n "${PTXAS-}" ] && [ -n "${CHECK_PTX-}" ]; then
		"$PTXAS" -arch=sm_90 "$base.ptx" -o /dev/null
	fi
	printf '\0' >>"$base.ptx"
	rm -f "$base.raw.bc" "$base.bc" "$base.log"
}

# What llvm-spirv-15 and 16 want; from 17 on there is no such choice.
typed=
case $("$KERNEL_OPT" --version | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p') in
15 | 16) typed=-opaque-pointers=0 ;;
esac

if [ "${1-}" = --module ]; then
	shift
	module "$@"
	exit 0
fi

sources=$1 out=$2
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-images.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# The same files as in local.mk.
join() {
	text=$1
	shift
	for file; do
		cat "$sources/$file.cl"
	done >"$tmp/$text.cl"
}
join iota types iota

# FAMILY TYPE TEXT OPTION...: as in kernels/images.h.
for type in 12 13; do
	echo "iota $type iota -DDPR_DTYPE=$type"
done >"$tmp/list"

# As many at a time as there are processors.
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
sed "s|^|$0 --module $sources $out $tmp |" "$tmp/list" |
	xargs -P "$jobs" -L 1 sh || {
	echo "build-images.sh: a module did not build" >&2
	exit 1
}

spirv_at=0 ptx_at=0
: >"$out/spirv.bin.tmp"
: >"$out/ptx.bin.tmp"
{
	echo "/* SPDX-License-Identifier: Apache-2.0 */"
	echo "/* Written by kernels/build-images.sh. */"
	while read -r family type rest; do
		spirv=$tmp/$family.$type.spv ptx=$tmp/$family.$type.ptx
		spirv_size=$(wc -c <"$spirv") ptx_size=$(wc -c <"$ptx")
		cat "$spirv" >>"$out/spirv.bin.tmp"
		cat "$ptx" >>"$out/ptx.bin.tmp"
		echo "IMAGE($family, $type, $spirv_at, $spirv_size," \
			"$ptx_at, $ptx_size)"
		spirv_at=$((spirv_at + spirv_size))
		ptx_at=$((ptx_at + ptx_size))
	done <"$tmp/list"
} >"$out/images.def.tmp"
mv "$out/images.def.tmp" "$out/images.def"
mv "$out/ptx.bin.tmp" "$out/ptx.bin"
mv "$out/spirv.bin.tmp" "$out/spirv.bin"
