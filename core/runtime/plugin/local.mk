# SPDX-License-Identifier: Apache-2.0
# core/runtime/plugin: plugin files, up to their table of functions.

core_libdprcore_la_SOURCES += \
	%D%/backends.c %D%/backends.h \
	%D%/descriptor.c \
	%D%/discover.c \
	%D%/elf_check.c \
	%D%/host_table.c %D%/host_table.h \
	%D%/loader.c %D%/loader.h \
	%D%/plugin.h
