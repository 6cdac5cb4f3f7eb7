#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that api_forked calls every public function that needs a device.
set -u
me=api_forked runs_dpr=no
# shellcheck source=../support/tools.sh
. "${top_srcdir:-.}/tests/support/tools.sh"
src=${top_srcdir:-.}
build=${top_builddir:-.}

# Functions that only compute, make a view, or report about the library or a
# file.
cat >"$tmp/allowed" <<'END'
dpr_array_index
dpr_array_kernel_source
dpr_array_kernels
dpr_array_over
dpr_atleast_1d
dpr_atleast_2d
dpr_atleast_3d
dpr_broadcast_arrays
dpr_broadcast_to
dpr_cache_clear
dpr_cache_stats
dpr_diagonal
dpr_dtype_promote
dpr_expand_dims
dpr_finfo
dpr_flip
dpr_iinfo
dpr_matrix_transpose
dpr_meshgrid
dpr_moveaxis
dpr_npz_names
dpr_permute_dims
dpr_reshape
dpr_result_type
dpr_rot90
dpr_split
dpr_squeeze
dpr_swapaxes
dpr_transfer_plan
dpr_unstack
dpr_variables
END
cut -f1 "$build/kernels/operations.list" |
	sed 's/.*/dpr_&\ndpr_&_into/' >>"$tmp/allowed"
"$build/tests/life/api_forked" --names >>"$tmp/allowed" || complain "no names"
cat "$src"/include/dpr/*.h "$build/include/dpr/elementwise.h" \
	"$build/include/dpr/reductions.h" | tr '\n\t' '  ' |
	grep -o 'DPR_API[^;{]*dpr_status dpr_[a-z0-9_]*' |
	sed 's/.* //' | sort -u >"$tmp/public"
[ "$(wc -l <"$tmp/public")" -ge 200 ] || complain "hardly any function is found"
grep -vxF -f "$tmp/allowed" "$tmp/public" >"$tmp/missing"
while read -r name; do
	complain "$name() is not called in a forked child"
done <"$tmp/missing"
finish
