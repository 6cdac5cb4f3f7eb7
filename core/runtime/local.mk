# SPDX-License-Identifier: Apache-2.0
# core/runtime: devices, queues, events, memory, programs, the plugin loader.

core_libdprcore_la_SOURCES += \
	%D%/device.h \
	%D%/kernel.h \
	%D%/plugin.h \
	%D%/queue.h \
	%D%/usm.h
