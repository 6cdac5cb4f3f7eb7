# SPDX-License-Identifier: Apache-2.0
# core/array/launch: kernels of arrays, and how they are launched.

core_libdprcore_la_SOURCES += \
	%D%/apply.c %D%/apply.h \
	%D%/cast.c %D%/cast.h \
	%D%/fold.c %D%/fold.h \
	%D%/iota.c %D%/iota.h \
	%D%/kernel_args.c \
	%D%/kernel_list.c \
	%D%/moves.c %D%/moves.h
