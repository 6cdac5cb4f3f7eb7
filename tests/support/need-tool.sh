# SPDX-License-Identifier: Apache-2.0
# A test that runs the program dpr sources this file.  The test is skipped in a
# build with --disable-tool.
# shellcheck shell=sh
if grep -qs '^S\["TOOL_TRUE"\]="#"' "${top_builddir:-.}/config.status"; then
	echo "skipped: this build has no program dpr (--disable-tool)"
	exit 77
fi
