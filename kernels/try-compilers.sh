#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compile a kernel to SPIR-V and PTX, as build-spirv-steps.sh and
# build-templates.sh do, to see whether the tools are there and work together.
#
# usage: try-compilers.sh BASE
#        compiles BASE.cl, and writes the results beside BASE.cl
# Environment: KERNEL_CLANG, KERNEL_OPT, LLVM_SPIRV, LIBCLC_DIR; SPIRV_VAL where
# it is installed.
set -eu

base=$1
common="-x cl -cl-std=CL1.2 -Xclang -finclude-default-header -w"

# llvm-spirv-15 needs typed pointers, so opt-15 gets -opaque-pointers=0.  From
# version 17 on, opt does not have this option.
typed=
case $("$KERNEL_OPT" --version | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p') in
15) typed=-opaque-pointers=0 ;;
esac

# shellcheck disable=SC2086 # these are several words
"$KERNEL_CLANG" $common -target spir64-unknown-unknown -O2 -Xclang \
	-disable-llvm-passes -emit-llvm -c "$base.cl" -o "$base.raw.bc"
# shellcheck disable=SC2086
"$KERNEL_OPT" $typed -passes='function(sroa,early-cse)' "$base.raw.bc" \
	-o "$base.bc"
"$LLVM_SPIRV" --spirv-max-version=1.2 "$base.bc" -o "$base.spv"
if [ -n "${SPIRV_VAL-}" ]; then
	"$SPIRV_VAL" --target-env spv1.2 "$base.spv"
fi

# ptx BASE OPTION...
# Compile to PTX.  --cuda-path hides an installed CUDA, for which clang
# would write a later version of PTX.
ptx() {
	name=$1
	shift
	# shellcheck disable=SC2086
	"$KERNEL_CLANG" $common -target nvptx64-nvidia-cuda \
		--cuda-path=/nonexistent -nogpulib -Xclang -target-cpu \
		-Xclang sm_60 -Xclang -target-feature -Xclang +ptx60 \
		-Xclang -cl-ext=+cl_khr_fp64 -O3 -Wno-linker-warnings \
		-Xclang -mlink-builtin-bitcode -Xclang \
		"$LIBCLC_DIR/nvptx64--nvidiacl.bc" -S "$name.cl" \
		-o "$name.ptx" "$@"
}
ptx "$base"
if grep '\.extern \.func' "$base.ptx"; then
	echo "try-compilers.sh: PTX calls a function that is nowhere" >&2
	exit 1
fi
# Functions like those of templates: with complex values, with a long function
# of libclc, and with a cast to a value of two doubles.
cat >"$base.step.cl" <<'END'
float2 probe_14(float2 x, int y)
{
	return y ? (float2)(sqrt(x.y), fma(x.x, x.y, 1.0f)) : x;
}
float probe_12(float x)
{
	return sin(x);
}
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
double2 probe_1(char x)
{
	return (double2)(x != 0, 0);
}
END
ptx "$base.step" -mllvm -inline-threshold=20000
"${AWK:-awk}" -v out="$base.out" -f "$(dirname "$0")/templates.awk" \
	"$base.step.ptx" >"$base.index"
for probe in probe_14 probe_12 probe_1; do
	grep -q "^TEMPLATE($probe," "$base.index"
done
