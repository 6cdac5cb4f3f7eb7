# SPDX-License-Identifier: Apache-2.0
# core/array/products: products of matrices.

core_libdprcore_la_SOURCES += \
	%D%/matmul.c \
	%D%/product.c %D%/product.h \
	%D%/product_call.c \
	%D%/product_sum.c \
	%D%/routines.c %D%/routines.h
