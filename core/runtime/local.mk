# SPDX-License-Identifier: Apache-2.0
# core/runtime: devices, queues, events, memory, programs, the plugin loader.

core_libdprcore_la_SOURCES += \
	%D%/access.c \
	%D%/allocator.c \
	%D%/backends.c %D%/backends.h \
	%D%/cache.c %D%/cache.h \
	%D%/cache_dir.c \
	%D%/cache_file.c \
	%D%/cache_trim.c \
	%D%/descriptor.c \
	%D%/device.c %D%/device.h \
	%D%/discover.c \
	%D%/division.c \
	%D%/elf_check.c \
	%D%/enqueue.c \
	%D%/event.c %D%/event.h \
	%D%/event_more.c \
	%D%/failure.c %D%/failure.h \
	%D%/find.c %D%/find.h \
	%D%/finish.c \
	%D%/held.c \
	%D%/host.c %D%/host.h \
	%D%/info.c %D%/info.h \
	%D%/kernel.c %D%/kernel.h \
	%D%/kernel_cache.c \
	%D%/launch.c \
	%D%/layers.c %D%/layers.h \
	%D%/life.c %D%/life.h \
	%D%/loader.c %D%/loader.h \
	%D%/move.c \
	%D%/native.c \
	%D%/plugin.h \
	%D%/origin.c %D%/origin.h \
	%D%/pool.c %D%/pool.h \
	%D%/pool_api.c \
	%D%/pool_grow.c \
	%D%/pool_limit.c \
	%D%/process.c %D%/process.h \
	%D%/program.c \
	%D%/progress.c %D%/progress.h \
	%D%/queue.c %D%/queue.h \
	%D%/reap.c %D%/reap.h \
	%D%/registry.c %D%/registry.h \
	%D%/report.c \
	%D%/ring.c \
	%D%/select.c \
	%D%/selector.c %D%/selector.h \
	%D%/slab.c %D%/slab.h \
	%D%/spoil.c %D%/spoil.h \
	%D%/staging.c %D%/staging.h \
	%D%/submit.c \
	%D%/tickets.c \
	%D%/transfer.c %D%/transfer.h \
	%D%/usm.c %D%/usm.h \
	%D%/usm_wait.c \
	%D%/work.c %D%/work.h
