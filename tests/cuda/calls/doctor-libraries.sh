#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dpr doctor names cuBLAS and cuSOLVER with their files, or says in a sentence
# why a GPU does without.  On the mock of NVIDIA's driver, with a library in
# place of both.
set -u
# shellcheck source=../../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
build=${top_builddir:-.}
if [ ! -e "$build/backends/.libs/libdpr-cuda.so" ]; then
	echo "needs the CUDA backend, which was not built"
	exit 77
fi
fake=$(cd "$build/tests/cuda/calls/.libs" && pwd)/libfake_cublas.so
text=$(mktemp "${TMPDIR:-/tmp}/dpr-doctor.XXXXXX") || exit 99
trap 'rm -f "$text"' EXIT
failed=0

# see BLAS LAPACK PART...: with these options doctor prints the parts.
see() {
	LD_LIBRARY_PATH=$build/tests/cuda/driver/.libs DPR_BACKEND=cuda \
		DPR_OPTION_CUDA_BLAS=$1 DPR_OPTION_CUDA_LAPACK=$2 \
		"$build/tools/dpr" doctor >"$text" 2>&1
	cat "$text"
	shift 2
	for part; do
		grep -qF "$part" "$text" && continue
		echo "no \"$part\""
		failed=1
	done
	# What the library puts around a reason.
	grep -e 'program:' -e '\[cuda\]' "$text" && failed=1
}

see "$fake" "$fake" "cuda:gpu:0         cuBLAS 13.1.2, $fake" \
	"cuda:gpu:0         cuSOLVER 12.0.9, $fake"
see "$fake" none "cuda:gpu:1         cuBLAS 13.1.2, $fake" \
	"none: the host's, if it has one, through host memory (DPR_OPTION_CUDA_LAPACK=none)"
see none "$fake" "none: kernels of dpr (DPR_OPTION_CUDA_BLAS=none)" \
	"none: the host's, if it has one, through host memory (DPR_OPTION_CUDA_BLAS=none)"
see "$fake" /no/such.so.12 \
	'DPR_OPTION_CUDA_LAPACK=/no/such.so.12: this is no library'
# The host backend cannot go elsewhere.
if [ -e "$build/backends/.libs/libdpr-host.so" ]; then
	DPR_BACKEND=host DPR_OPTION_HOST_LAPACK=none \
		"$build/tools/dpr" doctor >"$text" 2>&1
	grep -qF 'none: only some norms are computed (' "$text" || {
		cat "$text"
		failed=1
	}
fi
exit $failed
