#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compile the functions from which kernels are made (step.cl), for all dtypes,
# to one SPIR-V module.  Check the module, and write OUT/spirv_steps.bin.
#
# usage: build-spirv-steps.sh SOURCES OUT
#        SOURCES has the .cl files, OUT has steps.cl
# Environment: KERNEL_CLANG, KERNEL_OPT, LLVM_SPIRV; SPIRV_VAL where it is
# installed.
set -eu

sources=$1 out=$2
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-steps.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# llvm-spirv-15 needs typed pointers, so opt-15 gets -opaque-pointers=0.  From
# version 17 on, opt does not have this option.
typed=
case $("$KERNEL_OPT" --version | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p') in
15) typed=-opaque-pointers=0 ;;
esac

# The dtypes with doubles (13 and 15) come first, so that the functions of the
# other dtypes can have casts to doubles.
for dtype in 13 15 1 2 3 4 5 6 7 8 9 10 11 12 14; do
	printf '#undef DPR_DTYPE\n#define DPR_DTYPE %d\n' "$dtype"
	for file in types math elementary gamma complex complex_inverse convert \
		step; do
		cat "$sources/$file.cl"
	done
	cat "$out/steps.cl"
done >"$tmp/steps.cl"

# STEP_LINKAGE is empty, so that the functions stay although nothing calls them.
# llvm-spirv-15 writes invalid modules from bitcode that was optimised with -O2,
# or even with simplifycfg alone.  So opt only runs sroa and early-cse, and
# drivers optimise.  opt-18 and opt-19 always warn that SPIR-V has no code
# generator, so the log is printed only if opt fails.
"$KERNEL_CLANG" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -w \
	-DSTEP_LINKAGE= -target spir64-unknown-unknown -O2 \
	-Xclang -disable-llvm-passes -emit-llvm -c "$tmp/steps.cl" \
	-o "$tmp/raw.bc"
# shellcheck disable=SC2086 # typed may be nothing
"$KERNEL_OPT" $typed -passes='function(sroa,early-cse)' "$tmp/raw.bc" \
	-o "$tmp/steps.bc" 2>"$tmp/log" || {
	cat "$tmp/log" >&2
	exit 1
}
"$LLVM_SPIRV" --spirv-max-version=1.2 "$tmp/steps.bc" -o "$tmp/steps.spv"
if [ -n "${SPIRV_VAL-}" ]; then
	"$SPIRV_VAL" --target-env spv1.2 "$tmp/steps.spv"
fi
cp "$tmp/steps.spv" "$out/spirv_steps.bin.tmp"
mv "$out/spirv_steps.bin.tmp" "$out/spirv_steps.bin"
