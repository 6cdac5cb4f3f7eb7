# SPDX-License-Identifier: Apache-2.0
# core/runtime/queue: queues and events, and how far work is.

core_libdprcore_la_SOURCES += \
	%D%/callback.c \
	%D%/compilers.c %D%/compilers.h \
	%D%/event.c %D%/event.h \
	%D%/finish.c \
	%D%/held_list.c %D%/held_list.h \
	%D%/progress.c %D%/progress.h \
	%D%/queue.c %D%/queue.h \
	%D%/reap.c %D%/reap.h \
	%D%/spoil.c %D%/spoil.h \
	%D%/tickets.c
