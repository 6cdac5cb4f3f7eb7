# SPDX-License-Identifier: Apache-2.0
# core/array/launch: kernels of arrays, and how they are launched.

core_libdprcore_la_SOURCES += \
	%D%/apply.c %D%/apply.h \
	%D%/cast.c %D%/cast.h \
	%D%/reduce_axes.c %D%/reduce_axes.h \
	%D%/iota.c %D%/iota.h \
	%D%/kernel_args.c \
	%D%/kernel_list.c \
	%D%/once_built.c %D%/once_built.h \
	%D%/step_by_step.c %D%/step_by_step.h \
	%D%/whole.c %D%/whole.h \
	%D%/cast_copy_fill.c %D%/cast_copy_fill.h
