# SPDX-License-Identifier: Apache-2.0
# core/array: arrays over the public runtime API.

core_libdprcore_la_SOURCES += \
	%D%/array.c \
	%D%/array.h \
	%D%/collapse.c \
	%D%/copy.c \
	%D%/creation.c \
	%D%/crew.c \
	%D%/crew.h \
	%D%/decimal.c \
	%D%/decimal.h \
	%D%/dtype.c \
	%D%/elementwise.c \
	%D%/elementwise.h \
	%D%/fold.c \
	%D%/fold.h \
	%D%/images.h \
	%D%/join.c \
	%D%/launch_args.c \
	%D%/layout.c \
	%D%/layout.h \
	%D%/memory.c \
	%D%/memory.h \
	%D%/modules.c \
	%D%/modules.h \
	%D%/numerics.c \
	%D%/numerics.h \
	%D%/panels.c \
	%D%/panels.h \
	%D%/placement.c \
	%D%/plane.c \
	%D%/plane.h \
	%D%/print.c \
	%D%/reduce.c \
	%D%/scalar.c \
	%D%/scalar.h \
	%D%/strided.c \
	%D%/strided.h \
	%D%/view.c \
	%D%/walk.c \
	%D%/walk.h \
	%D%/where.c
