# SPDX-License-Identifier: Apache-2.0
# core/array/element: dtypes, scalars, decimal digits.

core_libdprcore_la_SOURCES += \
	%D%/decimal.c %D%/decimal.h \
	%D%/dtype.c %D%/dtype.h \
	%D%/limits.c \
	%D%/scalar.c %D%/scalar.h
