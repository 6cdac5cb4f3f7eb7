# SPDX-License-Identifier: Apache-2.0
# core/array/launch: kernels of arrays, and how they are launched.

core_libdprcore_la_SOURCES += \
	%D%/cast.c %D%/cast.h \
	%D%/fold.c %D%/fold.h \
	%D%/kernel_args.c \
	%D%/kernel_list.c \
	%D%/modules.c %D%/modules.h \
	%D%/moves.c %D%/moves.h \
	%D%/panels.c %D%/panels.h \
	%D%/walk.c %D%/walk.h
