# SPDX-License-Identifier: Apache-2.0
# core/runtime/queue: queues and events, and how far work is.

core_libdprcore_la_SOURCES += \
	%D%/callback.c \
	%D%/callback_thread.c %D%/callback_thread.h \
	%D%/cover.c %D%/cover.h \
	%D%/event.c %D%/event.h \
	%D%/event_list.c %D%/event_list.h \
	%D%/event_times.c \
	%D%/event_wait.c %D%/event_wait.h \
	%D%/exit_wait.c %D%/exit_wait.h \
	%D%/finish.c %D%/finish.h \
	%D%/held_list.c %D%/held_list.h \
	%D%/progress.c %D%/progress.h \
	%D%/queue.c %D%/queue.h \
	%D%/queue_close.c %D%/queue_close.h \
	%D%/queue_create.c %D%/queue_create.h \
	%D%/queue_failure.c %D%/queue_failure.h \
	%D%/queue_list.c %D%/queue_list.h \
	%D%/reap.c %D%/reap.h \
	%D%/spoil.c %D%/spoil.h \
	%D%/suspects.c %D%/suspects.h \
	%D%/tickets.c %D%/tickets.h \
	%D%/use.h
