# SPDX-License-Identifier: Apache-2.0
# core/array/functions: functions of the array API.

core_libdprcore_la_SOURCES += \
	%D%/compare.c %D%/compare.h \
	%D%/diff.c \
	%D%/elementwise.c %D%/elementwise.h \
	%D%/join.c \
	%D%/eager_call.c %D%/eager_call.h \
	%D%/reduce.c %D%/reduce.h \
	%D%/spaces.c \
	%D%/where.c %D%/where.h
