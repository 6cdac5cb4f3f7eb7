# SPDX-License-Identifier: Apache-2.0
# core/runtime: devices, queues, events, memory, programs, the plugin loader.

core_libdprcore_la_SOURCES += \
	%D%/backends.c %D%/backends.h \
	%D%/descriptor.c \
	%D%/device.c %D%/device.h \
	%D%/discover.c \
	%D%/division.c \
	%D%/event.h \
	%D%/host.c %D%/host.h \
	%D%/info.c %D%/info.h \
	%D%/kernel.c %D%/kernel.h \
	%D%/kernel_cache.c \
	%D%/launch.c \
	%D%/life.h \
	%D%/loader.c %D%/loader.h \
	%D%/plugin.h \
	%D%/process.c %D%/process.h \
	%D%/program.c \
	%D%/progress.h \
	%D%/queue.h \
	%D%/reap.h \
	%D%/registry.c %D%/registry.h \
	%D%/report.c \
	%D%/select.c \
	%D%/selector.c %D%/selector.h \
	%D%/usm.h
