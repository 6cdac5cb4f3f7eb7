/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routine_matmul.h - the routine matmul: what a launch passes to its kernels.
 *
 * A kernel takes pointers to a, b and c, the words below as a value, and in
 * native code local memory.
 */
#ifndef KERNELS_ROUTINE_MATMUL_H
#define KERNELS_ROUTINE_MATMUL_H

#include <stddef.h>
#include <stdint.h>

#include <dpr/backend.h>

/* The most axes of a batch. */
#define ROUTINE_MATMUL_BATCH 8

/* Native code adds up this number of products, and then adds their sum to the
   sums before. */
#define ROUTINE_MATMUL_DEPTH 128

/* The rows of a tile of native code are a multiple of this number. */
#define ROUTINE_MATMUL_ROWS 6

/* The most bytes of a line: a part of a row of the result that native code
   computes at once.  A tile has whole lines. */
#define ROUTINE_MATMUL_LINE 128

/*
 * The matrices a, b and c have the numbers 0, 1 and 2.  Element (i, j) of
 * matrix x is at offset[x] + i * row[x] + j * column[x].  There is a product
 * for each index of the batch: axis d of the batch has extent[d] indices, and
 * matrix x moves by stride[x][d] along axis d.  Axis 0 is the outermost.
 * Offsets and strides are counted in elements.
 *
 * A tile is a part of a result, of rows x columns elements or, at the end of
 * the result, fewer.  `tiles` is the number of tiles of all results.  One
 * result has `down` tiles below each other, and `across` tiles side by side.  A
 * group of native code computes `each` tiles.  A group of other kernels
 * computes one tile, and the first group computes tile `first`.  The struct of
 * routine_matmul.cl is the same.
 */
struct routine_matmul {
	int64_t m, n, k; /* extents */
	int64_t offset[3], row[3], column[3];
	int64_t tiles, down, across, rows, columns, each, first;
	int64_t axes;
	int64_t extent[ROUTINE_MATMUL_BATCH];
	int64_t stride[3][ROUTINE_MATMUL_BATCH];
};

/* The steps of k that native code packs at once. */
static inline int64_t routine_matmul_depth(const struct routine_matmul *w)
{
	return w->k < ROUTINE_MATMUL_DEPTH ? w->k : ROUTINE_MATMUL_DEPTH;
}

/* The bytes of local memory of a group of native code.  @bytes is the size of
   an element as it is computed: 4 for integers and floats of up to 4 bytes, 8
   for other real dtypes and complex64, and 16 for complex128. */
static inline uint64_t routine_matmul_local(const struct routine_matmul *w,
					    int64_t bytes)
{
	return (uint64_t)(bytes *
			  (routine_matmul_depth(w) * (w->rows + w->columns) +
			   w->rows * w->columns));
}

/* In OpenCL C a tile has ROUTINE_MATMUL_SIDE * variant rows and as many
   columns.  A group has ROUTINE_MATMUL_GROUP work-items. */
#define ROUTINE_MATMUL_SIDE 16
#define ROUTINE_MATMUL_GROUP 256

extern const dprp_native_module routine_matmul_module;

#endif
