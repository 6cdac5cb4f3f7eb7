# SPDX-License-Identifier: Apache-2.0
# core/array: arrays over the public runtime API.

core_libdprcore_la_SOURCES += \
	%D%/array.c \
	%D%/array.h \
	%D%/collapse.c \
	%D%/dtype.c \
	%D%/layout.c \
	%D%/layout.h \
	%D%/numerics.h \
	%D%/scalar.c \
	%D%/scalar.h
