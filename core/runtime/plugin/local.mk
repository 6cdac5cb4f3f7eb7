# SPDX-License-Identifier: Apache-2.0
# core/runtime/plugin: plugin files, up to their table of functions.

core_libdprcore_la_SOURCES += \
	%D%/backends.c %D%/backends.h \
	%D%/candidate.c %D%/candidate.h \
	%D%/descriptor.c %D%/descriptor.h \
	%D%/discover.c %D%/discover.h \
	%D%/elf_check.c %D%/elf_check.h \
	%D%/host_table.c %D%/host_table.h \
	%D%/loader.c %D%/loader.h \
	%D%/options.c %D%/options.h \
	%D%/plugin.c %D%/plugin.h \
	%D%/plugins.c %D%/plugins.h
