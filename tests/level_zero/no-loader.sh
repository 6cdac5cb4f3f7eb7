#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Without a Level Zero loader the backend says what is missing, and what to
# install.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
build=${top_builddir:-.}
if [ ! -e "$build/backends/.libs/libdpr-level_zero.so" ]; then
	echo "needs the Level Zero backend, which was not built"
	exit 77
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/dpr-no-loader.XXXXXX") || exit 99
trap 'rm -rf "$folder"' EXIT
# This file is not a library, and hides the installed loader.
: >"$folder/libze_loader.so.1"
LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
	DPR_BACKEND=level_zero "$build/tools/dpr" doctor >"$folder/text"
cat "$folder/text"
for part in '^level_zero  *absent' 'libze_loader.so.1 does not load' \
	'apt install libze1'; do
	grep -q "$part" "$folder/text" || {
		echo "no \"$part\""
		exit 1
	}
done
