# SPDX-License-Identifier: Apache-2.0
# core/array/data: making, viewing, moving and printing arrays.

core_libdprcore_la_SOURCES += \
	%D%/copy.c %D%/copy.h \
	%D%/creation.c \
	%D%/dlpack.c %D%/dlpack.h \
	%D%/dlpack_import.c \
	%D%/host_memory.c %D%/host_memory.h \
	%D%/placement.c \
	%D%/copy_2d.c %D%/copy_2d.h \
	%D%/print.c \
	%D%/runs.c %D%/runs.h \
	%D%/strided.c %D%/strided.h \
	%D%/view.c
