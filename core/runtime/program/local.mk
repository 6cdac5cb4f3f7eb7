# SPDX-License-Identifier: Apache-2.0
# core/runtime/program: programs and kernels, and what is kept of them.

core_libdprcore_la_SOURCES += \
	%D%/build_log.c %D%/build_log.h \
	%D%/cache.c %D%/cache.h \
	%D%/cache_dir.c %D%/cache_dir.h \
	%D%/cache_file.c %D%/cache_file.h \
	%D%/cache_trim.c %D%/cache_trim.h \
	%D%/includes.c %D%/includes.h \
	%D%/kernel.c %D%/kernel.h \
	%D%/kernel_cache.c %D%/kernel_cache.h \
	%D%/program.c %D%/program.h \
	%D%/spec.c %D%/spec.h
