# SPDX-License-Identifier: Apache-2.0
# core/array/derived: the C functions that expressions compute.

core_libdprcore_la_SOURCES += \
	%D%/composed.c \
	%D%/derived.c %D%/derived.h \
	%D%/reductions.c
