/* SPDX-License-Identifier: Apache-2.0 */
/* product.h - a product of matrices, and the ways to compute it. */
#ifndef ARRAY_PRODUCT_H
#define ARRAY_PRODUCT_H

#include <dpr/reduce.h>

#include "core/array/object/array.h"

/* An operand: matrices with these strides, in elements.  The strides of the
   batch are 0 along broadcast axes. */
struct product_operand {
	const dpr_array *x;
	int64_t offset, row, column;
	int64_t batch[DPR_MAX_RANK];
};

/* Which axes of the operands belong to the matrices and vectors.  All axes
   before these are a batch. */
enum product_form {
	PRODUCT_MATMUL, /* the last two; those of one axis are vectors */
	PRODUCT_MATVEC, /* x1 has matrices, x2 vectors */
	PRODUCT_VECMAT  /* x1 has vectors, x2 matrices */
};

/*
 * A product: for each index of the batch, m times n sums of k products.
 * A vector is a matrix of one row on the left, of one column on the right.
 */
struct product {
	const char *what;
	dpr_queue *queue;
	dpr_usm_kind kind; /* the kind of memory of a new result */
	dpr_dtype dtype;   /* the dtype of the result */
	struct product_operand a, b;
	int64_t m, n, k;
	bool has_m, has_n; /* whether the result has these axes */
	int n_batch;
	int64_t batch[DPR_MAX_RANK];
	int rank; /* the rank of the result */
	int64_t shape[DPR_MAX_RANK];
};

/* Find the dtype of a product of @n arrays, to which all of them are promoted.
   DPR_ERROR_DTYPE: this dtype is bool.  DPR_ERROR_UNSUPPORTED: the device lacks
   this dtype. */
dpr_status product_dtype(const char *what, const dpr_array *const *x, int n,
			 dpr_dtype *out);

/* Check the operands of the function @what, and describe their product.  The
   errors are those of dpr_matmul(). */
dpr_status product_begin(const char *what, enum product_form form,
			 const dpr_array *x1, const dpr_array *x2,
			 struct product *out);

/* Do the same as product_begin(), for a dpr_matmul() whose result has @dtype.
   The dtypes of both operands can be promoted to @dtype.  Both may be bool. */
dpr_status product_begin_as(const char *what, const dpr_array *x1,
			    const dpr_array *x2, dpr_dtype dtype,
			    struct product *out);

/* Let @x be operand @right (0: a, 1: b) of the product.  @x must have the shape
   of the operand. */
void product_take(struct product *product, bool right, const dpr_array *x);

/* Compute the product into @out by a routine of a library.  @out has the shape
   and the dtype of the result.  Returns false, and writes nothing, if there is
   no such routine, or if it does not take these operands.  Otherwise *@status
   is the outcome. */
bool product_call(const struct product *product, dpr_array *out,
		  dpr_status *status);

/* Whether product_call() may be possible. */
bool product_call_may(const struct product *product);

/* Compute the product into @out by dpr's own routine matmul
   (core/array/launch/whole.h), which takes all dtypes and strides.  Returns as
   product_call() does.  The order of additions follows from the shape alone. */
bool product_own(const struct product *product, dpr_array *out,
		 dpr_status *status);

/* Tests only: let a launch of product_own() on a GPU have at most @most groups.
   0: the default. */
void product_own_groups(int64_t most);

/* Whether product_own() may be possible. */
bool product_own_may(const struct product *product);

/* Compute the product into @out by product_call() or, if it returns false, by
   product_own().  Many products of small matrices go to product_own() first.
   Returns as product_call() does. */
bool product_compute_into(const struct product *product, dpr_array *out,
			  dpr_status *status);

/* Sums of the products of the elements of two arrays of one shape, which are
   on one queue. */
struct product_elements {
	const char *what;
	dpr_usm_kind kind; /* the kind of memory of a new result */
	dpr_dtype dtype;   /* the dtype of the result */
	const dpr_array *x[2];
	const dpr_axes *axes; /* along which the products are added */
};

/* Compute the sums into a new array. */
dpr_status product_sum_elements(const struct product_elements *elements,
				dpr_array **out);

/* Compute the product into a new array, as sums of products. */
dpr_status product_sum(const struct product *product, dpr_array **out);

/* Compute the product into a new array: by product_compute_into() or, if it
   returns false, by product_sum(). */
dpr_status product_compute(const struct product *product, dpr_array **out);

/* Compute the product that product_begin_as() describes. */
dpr_status product_compute_as(const char *what, const dpr_array *x1,
			      const dpr_array *x2, dpr_dtype dtype,
			      dpr_array **out);

#endif
