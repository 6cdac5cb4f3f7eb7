# SPDX-License-Identifier: Apache-2.0
# core/array/engine: kernels made of steps, and how they go over arrays.

core_libdprcore_la_SOURCES += \
	%D%/emit_text.c %D%/emit_text.h \
	%D%/frame.c %D%/frame.h \
	%D%/graph.c %D%/graph.h \
	%D%/operations.c %D%/operations.h
