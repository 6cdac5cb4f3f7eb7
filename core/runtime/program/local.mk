# SPDX-License-Identifier: Apache-2.0
# core/runtime/program: programs and kernels, and what is kept of them.

core_libdprcore_la_SOURCES += \
	%D%/cache.c %D%/cache.h \
	%D%/cache_dir.c \
	%D%/cache_file.c \
	%D%/cache_trim.c \
	%D%/kernel.c %D%/kernel.h \
	%D%/kernel_cache.c \
	%D%/program.c
