#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compile the functions of step.cl to PTX, make templates from them, and write
# OUT/templates.ptx and its index OUT/templates.def.
#
# usage: build-templates.sh SOURCES OUT
#        SOURCES has the .cl files, OUT has steps.cl
# Environment: KERNEL_CLANG, LIBCLC_DIR
set -eu

sources=$1 out=$2
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-templates.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
version=$("$KERNEL_CLANG" --version |
	sed -n 's/.*version \([0-9][0-9]*\)\..*/\1/p' | sed 1q)

# Write the functions of float64 (dtype 13), and then the functions of dtype $1,
# which can then have casts to float64.
text() {
	for dtype in 13 "$1"; do
		printf '#undef DPR_DTYPE\n#define DPR_DTYPE %s\n' "$dtype"
		if [ "$dtype" = "$1" ]; then
			printf '#undef STEP_LINKAGE\n#define STEP_LINKAGE\n'
		fi
		cat "$sources/types.cl" "$sources/math.cl" \
			"$sources/elementary.cl" "$sources/gamma.cl" \
			"$sources/complex.cl" \
			"$sources/complex_inverse.cl" "$sources/convert.cl" \
			"$sources/step.cl" "$out/steps.cl"
		[ "$1" != 13 ] || break
	done
}

# No function may call another, so everything is inlined.
set --
for dtype in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	text $dtype >"$tmp/dtype-$dtype.cl"
	"$KERNEL_CLANG" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header \
		-w -DDPR_PTX -target nvptx64-nvidia-cuda \
		--cuda-path=/nonexistent -nogpulib -Xclang -target-cpu \
		-Xclang sm_60 -Xclang -target-feature -Xclang +ptx60 -Xclang \
		-cl-ext=+cl_khr_fp64 -O3 -mllvm -inline-threshold=20000 \
		-Wno-linker-warnings -Xclang -mlink-builtin-bitcode -Xclang \
		"$LIBCLC_DIR/nvptx64--nvidiacl.bc" -S "$tmp/dtype-$dtype.cl" \
		-o "$tmp/dtype-$dtype.ptx"
	set -- "$@" "$tmp/dtype-$dtype.ptx"
done

"${AWK:-awk}" -v out="$out/templates.ptx.tmp" \
	-f "$sources/templates.awk" "$@" >"$tmp/index" || {
	echo "build-templates.sh: the PTX of clang $version cannot be used;" \
		"clang 15 and 17 to 19 are known to work" >&2
	exit 1
}
{
	echo "/* SPDX-License-Identifier: Apache-2.0 */"
	echo "/* Written by kernels/build-templates.sh. */"
	echo "#ifdef TEMPLATE"
	sed -n '/^TEMPLATE/p' "$tmp/index" | LC_ALL=C sort
	echo "#endif"
	echo "#ifdef TABLE"
	sed -n '/^TABLE/p' "$tmp/index"
	echo "#endif"
} >"$out/templates.def.tmp"
mv "$out/templates.def.tmp" "$out/templates.def"
mv "$out/templates.ptx.tmp" "$out/templates.ptx"
