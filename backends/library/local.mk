# SPDX-License-Identifier: Apache-2.0
# A BLAS and a LAPACK of the system, for the plugins that run functions of this
# process.  They are opened at run time.

noinst_LTLIBRARIES += %D%/libcalls.la
%C%_libcalls_la_CPPFLAGS = $(plugin_cppflags)
%C%_libcalls_la_SOURCES = \
	%D%/library.c \
	%D%/library.h \
	%D%/library_blas.c \
	%D%/library_calls.c \
	%D%/library_lapack.c \
	%D%/library_lapack_call.c
%C%_libcalls_la_LIBADD = %D%/libvalues.la

# The values of routines, for each plugin that has routines.
noinst_LTLIBRARIES += %D%/libvalues.la
%C%_libvalues_la_CPPFLAGS = $(plugin_cppflags)
%C%_libvalues_la_SOURCES = \
	%D%/library_gemm.c \
	%D%/library_values.c \
	%D%/library_values.h
