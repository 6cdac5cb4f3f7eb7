# SPDX-License-Identifier: Apache-2.0
# core/array/products: products of matrices, and sums of products over any axes.

core_libdprcore_la_SOURCES += \
	%D%/contraction.c %D%/contraction.h \
	%D%/contraction_pair.c \
	%D%/einsum.c \
	%D%/einsum_text.c %D%/einsum_text.h \
	%D%/kron.c \
	%D%/matmul.c \
	%D%/multi_dot.c \
	%D%/product.c %D%/product.h \
	%D%/product_call.c \
	%D%/product_compute.c \
	%D%/product_own.c \
	%D%/product_sum.c \
	%D%/routines.c %D%/routines.h \
	%D%/tensordot.c
