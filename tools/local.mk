# SPDX-License-Identifier: Apache-2.0
# The dpr program, linked with libdpr.la.

# What dpr eval knows of files and expressions and nothing of devices; its unit
# tests link it, too.
noinst_LTLIBRARIES += %D%/libtools.la
%C%_libtools_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
%C%_libtools_la_LIBADD = $(DPR_LIBS)
%C%_libtools_la_SOURCES = \
	%D%/bench_measure.c \
	%D%/expression.c %D%/expression.h \
	%D%/lexer.c %D%/lexer.h \
	%D%/message.c %D%/message.h \
	%D%/nearest.c %D%/nearest.h \
	%D%/npy.c %D%/npy.h \
	%D%/npy_header.c \
	%D%/number.c %D%/number.h

bin_PROGRAMS += %D%/dpr
%C%_dpr_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
%C%_dpr_LDADD = %D%/libtools.la libdpr.la $(DPR_LIBS)
%C%_dpr_SOURCES = \
	%D%/bench.c %D%/bench.h \
	%D%/bench_arrays.c \
	%D%/bench_calls.c \
	%D%/bench_cl.c %D%/bench_cl.h \
	%D%/bench_cl_arrays.c \
	%D%/bench_cl_calls.c \
	%D%/bench_copies.c \
	%D%/bench_cpu.c \
	%D%/bench_rows.c \
	%D%/bench_start.c \
	%D%/bench_strided.c \
	%D%/builtins.c \
	%D%/devices.c \
	%D%/doctor.c %D%/doctor.h \
	%D%/dpr.c \
	%D%/eval.c \
	%D%/evaluate.c %D%/evaluate.h \
	%D%/functions.c %D%/functions.h \
	%D%/isolate.c \
	%D%/json.c %D%/json.h \
	%D%/kept.c \
	%D%/npy_array.c %D%/npy_array.h \
	%D%/tool.h

# What an expression can call of the operation table.
BUILT_SOURCES += %D%/operations.inc
CLEANFILES += %D%/operations.inc
%D%/operations.inc: kernels/operations.list
	$(AM_V_GEN)$(MKDIR_P) %D% && $(AWK) -F '\t' '{ \
	  split("UNARY BINARY TERNARY", macro, " "); \
	  print macro[$$2] "(" $$1 ")" }' kernels/operations.list | \
	LC_ALL=C sort -t '(' -k 2 >$@.tmp && mv $@.tmp $@
