# SPDX-License-Identifier: Apache-2.0
# core/base: what everything else in libdpr stands on.

core_libdprcore_la_SOURCES += \
	%D%/call_stack.c %D%/call_stack.h \
	%D%/clock.c %D%/clock.h \
	%D%/crew.c %D%/crew.h \
	%D%/env.c %D%/env.h \
	%D%/failure.c %D%/failure.h \
	%D%/files.c %D%/files.h \
	%D%/handles/handle.h \
	%D%/handles/handles.c %D%/handles/handles.h \
	%D%/handles/handles_table.c %D%/handles/handles_table.h \
	%D%/hash.c %D%/hash.h \
	%D%/live.c %D%/live.h \
	%D%/log.c %D%/log.h \
	%D%/mem.c %D%/mem.h %D%/small_list.h \
	%D%/process.c %D%/process.h %D%/refs.h \
	%D%/settings.c %D%/settings.h \
	%D%/status.c %D%/status.h \
	%D%/stock.c %D%/stock.h \
	%D%/suggest.c %D%/suggest.h \
	%D%/text.c %D%/text.h \
	%D%/trace.c %D%/trace.h \
	%D%/trace_file.c %D%/trace_file.h \
	%D%/trace_line.c %D%/trace_line.h \
	%D%/worker.c %D%/worker.h
