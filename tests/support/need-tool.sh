# SPDX-License-Identifier: Apache-2.0
# A test that runs the program dpr sources this: it is skipped in a build that was
# configured with --disable-tool.
# shellcheck shell=sh
if grep -qs '^S\["TOOL_TRUE"\]="#"' "${top_builddir:-.}/config.status"; then
	echo "skipped: this build has no program dpr (--disable-tool)"
	exit 77
fi
