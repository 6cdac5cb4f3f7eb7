# SPDX-License-Identifier: Apache-2.0
# Tests of the build and of what it delivers: make check-tree.

build_checks = \
	%D%/check-author.sh \
	%D%/check-cplusplus.sh \
	%D%/check-layers.sh \
	%D%/check-exports.sh \
	%D%/check-needed.sh \
	%D%/check-parity.sh \
	%D%/check-headers.sh \
	%D%/check-cuda-header.sh \
	%D%/check-dist.sh \
	%D%/check-guide.sh \
	%D%/check-install.sh \
	%D%/check-links.sh \
	%D%/check-machine.sh \
	%D%/check-man.sh \
	%D%/check-planted.sh \
	%D%/check-quickstart.sh \
	%D%/check-size.sh \
	%D%/check-style.sh \
	%D%/check-tables.sh

dist_check_SCRIPTS += $(build_checks) %D%/comments.sh \
	%D%/configurations.sh %D%/run-guide.sh
EXTRA_DIST += %D%/comments.awk %D%/guide-compare.awk %D%/guide-rules.awk \
	%D%/guide-session.awk

# Tests that hardly depend on the machine, with tests of other folders: style,
# headers, what is installed, and planted faults.  They are for those who change
# the tree; .ci/run runs them.
tree_tests = $(build_checks)
if ON_REQUEST
TESTS += $(tree_tests)
endif
check-tree: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(tree_tests)'
