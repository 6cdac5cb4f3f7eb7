# SPDX-License-Identifier: Apache-2.0
# core/runtime/submit: the way of a submission to the driver.

core_libdprcore_la_SOURCES += \
	%D%/barrier.c %D%/barrier.h \
	%D%/enqueue.c %D%/enqueue.h \
	%D%/held.c %D%/held.h \
	%D%/launch.c \
	%D%/local_size.c %D%/local_size.h \
	%D%/operation.h \
	%D%/submit.c %D%/submit.h \
	%D%/trace_queue.c %D%/trace_queue.h
