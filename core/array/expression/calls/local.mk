# SPDX-License-Identifier: Apache-2.0
# core/array/expression/calls: built-in functions, and their arguments.

core_libdprcore_la_SOURCES += \
	%D%/arguments.c %D%/arguments.h \
	%D%/index_calls.c %D%/index_calls.h \
	%D%/product_calls.c %D%/product_calls.h \
	%D%/linalg_calls.c %D%/linalg_calls.h \
	%D%/shape_calls.c %D%/shape_calls.h
