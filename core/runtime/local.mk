# SPDX-License-Identifier: Apache-2.0
# core/runtime: devices, queues, events, memory, programs, the plugin loader.

core_libdprcore_la_SOURCES += \
	%D%/finalize.c \
	%D%/version.c

include $(top_srcdir)/core/runtime/plugin/local.mk
include $(top_srcdir)/core/runtime/layer/local.mk
include $(top_srcdir)/core/runtime/device/local.mk
include $(top_srcdir)/core/runtime/queue/local.mk
include $(top_srcdir)/core/runtime/program/local.mk
include $(top_srcdir)/core/runtime/memory/local.mk
include $(top_srcdir)/core/runtime/submit/local.mk
include $(top_srcdir)/core/runtime/transfer/local.mk
