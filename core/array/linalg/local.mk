# SPDX-License-Identifier: Apache-2.0
# core/array/linalg: linear algebra, by routines of LAPACK.

core_libdprcore_la_SOURCES += \
	%D%/cholesky.c \
	%D%/determinant.c \
	%D%/eigen.c \
	%D%/lapack.c %D%/lapack.h \
	%D%/linalg.c %D%/linalg.h \
	%D%/lstsq.c \
	%D%/matrix_norm.c \
	%D%/matrix_power.c \
	%D%/qr.c \
	%D%/solve.c %D%/solve.h \
	%D%/svd.c
