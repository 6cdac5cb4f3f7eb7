# SPDX-License-Identifier: Apache-2.0
# Tests of the build and of what it delivers.

build_checks = \
	%D%/check-author.sh \
	%D%/check-layers.sh \
	%D%/check-exports.sh \
	%D%/check-needed.sh \
	%D%/check-headers.sh \
	%D%/check-cuda-header.sh \
	%D%/check-dist.sh \
	%D%/check-install.sh \
	%D%/check-planted.sh \
	%D%/check-size.sh \
	%D%/check-style.sh \
	%D%/check-tables.sh

# They say the same in a build with sanitizers, so they do not run there.
dist_check_SCRIPTS += $(build_checks)
if !SANITIZERS
TESTS += $(build_checks)
endif
