# SPDX-License-Identifier: Apache-2.0
# core/array/layout: shapes and strides.

core_libdprcore_la_SOURCES += \
	%D%/layout.c %D%/layout.h \
	%D%/overlap.c %D%/overlap.h
