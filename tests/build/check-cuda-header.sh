#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Our own declarations of the CUDA driver API against the toolkit's headers:
# the values of all constants, the layout of all structs, and the types of all
# entries, as a C++ compiler writes them into a symbol.
#
# usage: check-cuda-header.sh [SOURCE-DIRECTORY [BUILD-DIRECTORY]]
set -u
src=${1:-${top_srcdir:-.}}
build=${2:-${top_builddir:-.}}
ours=backends/cuda/cuda_declarations.h
entries=backends/cuda/cuda_entries.def
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-cuda.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

# The flag that configure has found: -I..., or nothing if the header is among the
# compiler's own.
flags=$(sed -n 's/^CUDA_CPPFLAGS = //p' "$build/Makefile")
case $flags in
*-DHAVE_CUDA_TOOLKIT*) ;;
*)
	echo "SKIP: no CUDA toolkit with cuda.h and cudaTypedefs.h"
	exit 77 ;;
esac
cc=$(sed -n 's/^CC = //p' "$build/Makefile")
cxx=$(sed -n 's/^CXX = //p' "$build/Makefile")

# Each constant is on a line of its own: NAME = VALUE, or #define NAME VALUE.
{
	sed -n 's/^	\(CU[A-Z0-9_]*\) = .*/\1/p' "$src/$ours"
	sed -n 's/^#define \(CU_[A-Z0-9_]*\) .*/\1/p' "$src/$ours"
} | sort -u >"$tmp/constants"
{
	cat <<'END'
#include <stddef.h>
#include <stdio.h>
#define PUT(x) printf("%s %lld\n", #x, (long long)(x));
int main(void)
{
END
	sed 's/.*/	printf("%s %lld\\n", "&", (long long)(&));/' \
		"$tmp/constants"
	cat <<'END'
	PUT(sizeof(CUuuid))
	PUT(sizeof(CUipcMemHandle_v1))
	PUT(sizeof(CUdevSmResource))
	PUT(sizeof(CUdevResource))
	PUT(sizeof(CUdeviceptr))
	PUT(sizeof(CUdevice))
	PUT(offsetof(CUdevResource, sm))
	PUT(offsetof(CUdevSmResource, smCount))
	return 0;
}
END
} >"$tmp/values.c"
{
	echo '#define CUDA_ENTRY(since, name, version) \'
	echo '	void take_##name(PFN_##name##_v##version) {}'
	echo "#include \"$entries\""
	echo 'CUDA_ENTRY(0, cuGetProcAddress, 12000)'
	echo 'CUDA_ENTRY(0, cuDriverGetVersion, 2020)'
} >"$tmp/types.cc"

for side in ours theirs; do
	case $side in
	ours) include="-include $ours" ;;
	theirs) include="$flags -include cuda.h -include cudaTypedefs.h" ;;
	esac
	# shellcheck disable=SC2086 # several words each
	(cd "$src" &&
		$cc -w $include "$tmp/values.c" -o "$tmp/values" &&
		$cxx -w -std=c++11 -I. $include -c "$tmp/types.cc" \
			-o "$tmp/types.o") || exit 1
	"$tmp/values" >"$tmp/$side"
	nm "$tmp/types.o" | sed -n 's/.* T //p' >>"$tmp/$side"
done
if ! diff "$tmp/ours" "$tmp/theirs"; then
	echo "$ours (<) differs from the toolkit's headers (>)"
	exit 1
fi
wc -l <"$tmp/ours" | sed 's/$/ constants, structs and entries compared/'
