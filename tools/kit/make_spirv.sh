#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes samples_spirv.h of the OpenCL C in samples_text.h.  Run it by hand in this
# folder after a change there, and commit both.  It needs clang-15 and
# llvm-spirv-15, or other versions: make_spirv.sh CLANG LLVM-SPIRV.
set -eu
clang=${1:-clang-15}
translator=${2:-llvm-spirv-15}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-spirv.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
sed -n '/samples_opencl_c/,/;$/s/^	"\(.*\)\\n";*$/\1/p' samples_text.h \
	>"$tmp/kernels.cl"
"$clang" -c -x cl -cl-std=CL1.2 -O1 -target spir64 -emit-llvm -ffp-contract=off \
	-Xclang -finclude-default-header -o "$tmp/kernels.bc" "$tmp/kernels.cl"
"$translator" --spirv-max-version=1.0 -o "$tmp/kernels.spv" "$tmp/kernels.bc"
{
	cat <<'END'
/* SPDX-License-Identifier: Apache-2.0 */
/* samples_spirv.h - the kernels of dpr check-plugin in SPIR-V; made by
   make_spirv.sh. */
#ifndef TOOLS_SAMPLES_SPIRV_H
#define TOOLS_SAMPLES_SPIRV_H

#include <stdint.h>

/* clang-format off */
static const uint32_t samples_spirv[] = {
END
	od -An -v -tx4 -w24 "$tmp/kernels.spv" |
		sed 's/ \([0-9a-f]*\)/ 0x\1,/g; s/^ /	/'
	cat <<'END'
};
/* clang-format on */

#endif
END
} >samples_spirv.h
