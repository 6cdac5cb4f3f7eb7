# SPDX-License-Identifier: Apache-2.0
# Pages for users, in Markdown.  Each page is a test, which compares its programs with
# examples/ and runs its sessions: make check TESTS=doc/guide/NAME.md

guide_pages = %D%/first-program.md %D%/tutorial.md %D%/devices.md \
	%D%/compute-follows-data.md %D%/queues.md %D%/memory.md %D%/errors.md \
	%D%/expressions.md %D%/expression-kernels.md %D%/kernels.md \
	%D%/kernel-shapes.md %D%/files.md %D%/other-libraries.md \
	%D%/processes.md %D%/seeing.md %D%/performance.md %D%/backend.md

EXTRA_DIST += $(guide_pages) %D%/guides.list
