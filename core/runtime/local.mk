# SPDX-License-Identifier: Apache-2.0
# core/runtime: devices, queues, events, memory, programs, the plugin loader.

core_libdprcore_la_SOURCES += \
	%D%/device.h \
	%D%/event.h \
	%D%/kernel.c %D%/kernel.h \
	%D%/kernel_cache.c \
	%D%/launch.c \
	%D%/life.h \
	%D%/plugin.h \
	%D%/program.c \
	%D%/progress.h \
	%D%/queue.h \
	%D%/reap.h \
	%D%/usm.h
