# SPDX-License-Identifier: Apache-2.0
# core/array/shapes: functions that move, repeat or select elements.

core_libdprcore_la_SOURCES += \
	%D%/atleast.c \
	%D%/diagonal.c \
	%D%/flip.c \
	%D%/grid.c \
	%D%/move_axes.c \
	%D%/pad.c \
	%D%/repeat.c \
	%D%/results.h \
	%D%/roll.c \
	%D%/split.c \
	%D%/triangle.c
