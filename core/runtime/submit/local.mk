# SPDX-License-Identifier: Apache-2.0
# core/runtime/submit: the way of a submission to the driver.

core_libdprcore_la_SOURCES += \
	%D%/enqueue.c \
	%D%/held.c \
	%D%/launch.c \
	%D%/submit.c \
	%D%/trace_queue.c %D%/trace_queue.h
