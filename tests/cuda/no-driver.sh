#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Without NVIDIA's driver the CUDA backend names the missing file, and what to
# install.  This also holds for a file that is no library, and for the toolkit's
# stub, which is only for linking.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
build=${top_builddir:-.}
if [ ! -e "$build/backends/.libs/libdpr-cuda.so" ]; then
	echo "needs the CUDA backend, which was not built"
	exit 77
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/dpr-no-driver.XXXXXX") || exit 99
trap 'rm -rf "$folder"' EXIT

# see TEXT: the backend is absent, and both commands say TEXT and what to do.
see() {
	for command in doctor devices; do
		LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
			DPR_BACKEND=cuda "$build/tools/dpr" "$command" \
			>"$folder/text" 2>&1
		cat "$folder/text"
		for part in "$1" 'apt install nvidia-driver libcuda1'; do
			grep -q "$part" "$folder/text" && continue
			echo "dpr $command: no \"$part\""
			exit 1
		done
		[ $command = devices ] && continue
		grep -q '^cuda  *absent' "$folder/text" || {
			echo "dpr doctor: the backend is not absent"
			exit 1
		}
	done
}

# This file hides an installed driver.
: >"$folder/libcuda.so.1"
see 'libcuda.so.1 does not load'
# The dynamic linker's reason names the file.
grep -q "$folder/libcuda.so.1: " "$folder/text" || {
	echo "no reason why the file does not load"
	exit 1
}

stub=${CUDA_HOME:-/usr/local/cuda}/lib64/stubs/libcuda.so
if [ -e "$stub" ]; then
	ln -sf "$stub" "$folder/libcuda.so.1"
	see 'a stub for linking, or not NVIDIA'
else
	echo "without the toolkit's stub, which is not installed"
fi
