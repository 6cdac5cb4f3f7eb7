# SPDX-License-Identifier: Apache-2.0
# Tests of the build and of what it delivers.

build_checks = \
	%D%/check-layers.sh \
	%D%/check-exports.sh \
	%D%/check-needed.sh \
	%D%/check-headers.sh \
	%D%/check-dist.sh \
	%D%/check-install.sh \
	%D%/check-planted.sh \
	%D%/check-style.sh

dist_check_SCRIPTS += $(build_checks)
TESTS += $(build_checks)
