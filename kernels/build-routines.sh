#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compile the routines, which are kernels that are written whole, to PTX and to
# SPIR-V.  Write the modules of each format into one file, OUT/routines_ptx.bin
# or OUT/routines_spirv.bin, and an index of both files, OUT/routines.def.
#
# usage: build-routines.sh SOURCES OUT
# Environment: KERNEL_CLANG, KERNEL_OPT, LLVM_SPIRV, LIBCLC_DIR; SPIRV_VAL where
# it is installed.
set -eu

sources=$1 out=$2
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-routines.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
common="-x cl -cl-std=CL1.2 -Xclang -finclude-default-header -w"

# llvm-spirv-15 needs typed pointers, so opt-15 gets -opaque-pointers=0.  From
# version 17 on, opt does not have this option.
typed=
case $("$KERNEL_OPT" --version | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p') in
15) typed=-opaque-pointers=0 ;;
esac

# Compile $tmp/source.cl to PTX.  Without -fno-unroll-loops, clang would unroll
# loops of constant length, which makes the text several times larger.  NVIDIA's
# assembler unrolls them, too, if the pragma "nounroll" is away.
ptx() {
	# shellcheck disable=SC2086 # these are several words
	"$KERNEL_CLANG" $common -DDPR_PTX -target nvptx64-nvidia-cuda \
		--cuda-path=/nonexistent -nogpulib -Xclang -target-cpu \
		-Xclang sm_60 -Xclang -target-feature -Xclang +ptx60 -Xclang \
		-cl-ext=+cl_khr_fp64 -O3 -fno-unroll-loops \
		-Wno-linker-warnings -Xclang -mlink-builtin-bitcode -Xclang \
		"$LIBCLC_DIR/nvptx64--nvidiacl.bc" -S "$tmp/source.cl" \
		-o "$tmp/raw.ptx"
	if grep -q '\.extern \.func' "$tmp/raw.ptx"; then
		echo "build-routines.sh: $name calls a function that is" \
			"nowhere" >&2
		exit 1
	fi
	# The code is for any GPU from sm_60 on.  Comments and indentation are
	# of no use.  The directives of the kernel come behind its parameters.
	sed -e '/\.pragma "nounroll"/d' -e 's,[	 ]*//.*,,' \
		-e 's/^[	 ]*//' -e 's/[	 ][	 ]*/ /g' -e '/^$/d' \
		-e "s/^)\$/) $directives/" "$tmp/raw.ptx" >"$tmp/module"
	# The driver reads a string.
	printf '\0' >>"$tmp/module"
}

# Compile $tmp/source.cl to SPIR-V, as build-spirv-steps.sh does.  Names of
# values would take room.
spirv() {
	# shellcheck disable=SC2086
	"$KERNEL_CLANG" $common -target spir64-unknown-unknown -O2 -Xclang \
		-disable-llvm-passes -emit-llvm -c "$tmp/source.cl" \
		-o "$tmp/raw.bc"
	# shellcheck disable=SC2086
	"$KERNEL_OPT" $typed -passes='function(sroa,early-cse),strip' "$tmp/raw.bc" \
		-o "$tmp/module.bc" 2>"$tmp/log" || {
		cat "$tmp/log" >&2
		exit 1
	}
	"$LLVM_SPIRV" --spirv-max-version=1.2 "$tmp/module.bc" -o "$tmp/module"
	if [ -n "${SPIRV_VAL-}" ]; then
		"$SPIRV_VAL" --target-env spv1.2 "$tmp/module"
	fi
}

# add FORMAT ROUTINE DTYPE NUMBER VARIANT
# Append a module, and its place in the file to the index.
add() {
	name=$2_$3
	{
		printf '#define DPR_DTYPE %d\n#define ROUTINE %s\n' "$4" "$name"
		printf '#define VARIANT %d\n' "$5"
		cat "$sources/types.cl" "$sources/routine_$2.cl"
	} >"$tmp/source.cl"
	"$1"
	printf 'ROUTINE(%s, %s_%d, %d, %d)\n' "$1" "$name" "$5" \
		"$(wc -c <"$tmp/$1")" "$(wc -c <"$tmp/module")" >>"$tmp/index"
	cat "$tmp/module" >>"$tmp/$1"
}

{
	echo "/* SPDX-License-Identifier: Apache-2.0 */"
	echo "/* Written by kernels/build-routines.sh. */"
} >"$tmp/index"
# number DTYPE: its number in dpr/dtype.h
number() {
	case $1 in
	uint8) echo 6 ;;
	uint16) echo 7 ;;
	uint32) echo 8 ;;
	uint64) echo 9 ;;
	float16) echo 10 ;;
	bfloat16) echo 11 ;;
	float32) echo 12 ;;
	float64) echo 13 ;;
	complex64) echo 14 ;;
	complex128) echo 15 ;;
	esac
}

: >"$tmp/ptx"
for variant in 8 4 2; do
	for dtype in float32 float16 bfloat16 uint32 uint16 uint8 uint64 \
		float64 complex64 complex128; do
		case $variant:$dtype in
		8:float64) ;;
		8:*64 | 8:complex128) continue ;;
		esac
		# Two groups of a multiprocessor share its registers.  Without
		# the number, the assembler of NVIDIA's driver takes some more,
		# so that there is one group.
		directives='.reqntid 256'
		case $variant:$dtype in
		8:float64) ;;
		8:*) directives="$directives .minnctapersm 2" ;;
		esac
		add ptx matmul $dtype "$(number $dtype)" $variant
	done
done
# Neighbours in this order resemble each other, so that they deflate well: in
# any other order that was tried, the modules took 10 to 20 kB more.
: >"$tmp/spirv"
for module in uint64_4 uint64_2 uint32_2 uint8_2 uint16_2 uint8_4 uint32_4 \
	float32_2 float64_2 float64_4 float32_4 uint16_4 bfloat16_2 float16_2 \
	bfloat16_4 float16_4 complex128_2 complex64_2 complex128_4 complex64_4; do
	add spirv matmul "${module%_*}" "$(number "${module%_*}")" "${module#*_}"
done
# make asks for the last file, and takes the others for newer.
for file in index:routines.def ptx:routines_ptx.bin spirv:routines_spirv.bin; do
	cp "$tmp/${file%:*}" "$out/${file#*:}.tmp"
	mv "$out/${file#*:}.tmp" "$out/${file#*:}"
done
touch "$out/routines.def" "$out/routines_ptx.bin"
