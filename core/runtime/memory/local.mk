# SPDX-License-Identifier: Apache-2.0
# core/runtime/memory: allocations, their uses, and pools.

core_libdprcore_la_SOURCES += \
	%D%/access.c \
	%D%/allocator.c \
	%D%/find.c %D%/find.h \
	%D%/heap.c %D%/heap.h \
	%D%/native.c \
	%D%/origin.c %D%/origin.h \
	%D%/pool.c %D%/pool.h \
	%D%/pool_control.c \
	%D%/pool_limit.c \
	%D%/pool_slabs.c \
	%D%/retire.c %D%/retire.h \
	%D%/usm.c %D%/usm.h \
	%D%/usm_wait.c
