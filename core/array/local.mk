# SPDX-License-Identifier: Apache-2.0
# core/array: arrays over the public runtime API.

core_libdprcore_la_SOURCES += \
	%D%/array.c \
	%D%/array.h \
	%D%/collapse.c \
	%D%/copy.c \
	%D%/decimal.c \
	%D%/decimal.h \
	%D%/dtype.c \
	%D%/join.c \
	%D%/launch_args.c \
	%D%/layout.c \
	%D%/layout.h \
	%D%/memory.c \
	%D%/memory.h \
	%D%/numerics.h \
	%D%/placement.c \
	%D%/print.c \
	%D%/scalar.c \
	%D%/scalar.h \
	%D%/view.c
