# SPDX-License-Identifier: Apache-2.0
# Pages for users, in Markdown.  Each page is a test, which compares its programs with
# examples/ and runs its sessions: make check TESTS=doc/guide/NAME.md

guide_pages = %D%/first-program.md %D%/devices.md %D%/compute-follows-data.md \
	%D%/queues.md %D%/memory.md %D%/errors.md

EXTRA_DIST += $(guide_pages) %D%/guides.list
