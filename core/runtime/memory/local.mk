# SPDX-License-Identifier: Apache-2.0
# core/runtime/memory: allocations, their uses, and pools.

core_libdprcore_la_SOURCES += \
	%D%/alloc.c \
	%D%/allocation.h \
	%D%/allocator.c %D%/allocator.h \
	%D%/conflicts.c %D%/conflicts.h \
	%D%/find.c \
	%D%/guard.c %D%/guard.h \
	%D%/heap.c %D%/heap.h \
	%D%/holders.c %D%/holders.h \
	%D%/native.c \
	%D%/origin.c %D%/origin.h \
	%D%/pool.c %D%/pool.h \
	%D%/pool_alloc.c %D%/pool_alloc.h \
	%D%/pool_control.c \
	%D%/pool_limit.c %D%/pool_limit.h \
	%D%/pool_slabs.c %D%/pool_slabs.h \
	%D%/retire.c \
	%D%/span.c %D%/span.h \
	%D%/uses.c %D%/uses.h \
	%D%/usm.c %D%/usm.h \
	%D%/usm_wait.c
