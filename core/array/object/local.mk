# SPDX-License-Identifier: Apache-2.0
# core/array/object: the array itself.

core_libdprcore_la_SOURCES += \
	%D%/array.c %D%/array.h \
	%D%/axis_list.c %D%/axis_list.h \
	%D%/broadcast.c %D%/broadcast.h \
	%D%/execution.c %D%/execution.h \
	%D%/namespace.c \
	%D%/result_type.c
