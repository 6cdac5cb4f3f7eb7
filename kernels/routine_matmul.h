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

/* The products that native code adds up before it adds them to the result. */
#define ROUTINE_MATMUL_DEPTH 128

/* The rows of a tile of native code are a multiple of this number. */
#define ROUTINE_MATMUL_ROWS 6

/* The bytes of a line that native code computes at once, at most.  A line is a
   part of a row of the result, and a tile has whole lines. */
#define ROUTINE_MATMUL_LINE 128

/*
 * Element (i, p) of a is at offset[0] + i * row[0] + p * column[0], and so are
 * the elements of b (1) and c (2).  All are counted in elements.  There is a
 * product for each index of the batch.  Its last axis has the last extent.
 *
 * A tile is a part of a result, of rows x columns elements or, at the end of
 * the result, fewer.  `tiles` counts the tiles of all results, and `down` and
 * `across` those of one result.  A group of native code computes `each` tiles.
 * The struct of routine_matmul.cl is the same.
 */
struct routine_matmul {
	int64_t m, n, k; /* extents */
	int64_t offset[3], row[3], column[3];
	int64_t tiles, down, across, rows, columns, each;
	int64_t axes;
	int64_t extent[ROUTINE_MATMUL_BATCH];
	int64_t stride[3][ROUTINE_MATMUL_BATCH];
};

/* The steps of k that native code packs at once. */
static inline int64_t routine_matmul_depth(const struct routine_matmul *w)
{
	return w->k < ROUTINE_MATMUL_DEPTH ? w->k : ROUTINE_MATMUL_DEPTH;
}

/* Packed rows begin at multiples of these bytes.  Local memory need not. */
#define ROUTINE_MATMUL_ALIGN 64

/* The bytes of local memory of a group of native code.  @bytes is the size of
   an element as it is computed: 4 for integers and floats of up to 4 bytes, 8
   for other real dtypes and complex64, and 16 for complex128. */
static inline uint64_t routine_matmul_local(const struct routine_matmul *w,
					    int64_t bytes)
{
	return (uint64_t)(bytes *
			  (routine_matmul_depth(w) * (w->rows + w->columns) +
			   w->rows * w->columns)) +
	       ROUTINE_MATMUL_ALIGN;
}

/* The tiles of the text have ROUTINE_MATMUL_SIDE * variant rows and as many
   columns.  A group of ROUTINE_MATMUL_GROUP work-items computes one after the
   other. */
#define ROUTINE_MATMUL_SIDE 16
#define ROUTINE_MATMUL_GROUP 256

extern const dprp_native_module routine_matmul_module;

#endif
