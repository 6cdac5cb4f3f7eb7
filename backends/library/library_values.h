/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library_values.h - the values of launches of routines (DPRP_CALLS_FORMAT):
 * what is valid, and where the matrices are.
 *
 * These files use nothing of others, and open no library.  So each plugin with
 * routines can link them.
 */
#ifndef LIBRARY_VALUES_H
#define LIBRARY_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/backend.h>

/* The routines of LAPACK. */
enum library_lapack_number {
	LIBRARY_POTRF,
	LIBRARY_GETRF,
	LIBRARY_GETRI,
	LIBRARY_GESV,
	LIBRARY_TRTRS,
	LIBRARY_GEQRF,
	LIBRARY_ORGQR,
	LIBRARY_SYEVD,
	LIBRARY_GEEV,
	LIBRARY_GESDD,
	LIBRARY_LAPACK_ROUTINES
};

/* A matrix with more elements is refused: no memory has room for it. */
#define LIBRARY_MOST_ELEMENTS ((int64_t)1 << 50)

/* --- library_gemm.c: the values of gemm --- */

/* Whether the extents, the leading dimensions and the flags are valid. */
bool library_gemm_is_valid(const dprp_gemm *v);
/* The number of products. */
int64_t library_gemm_count(const dprp_gemm *v);
/* Where matrix @i of the batch begins. */
int64_t library_gemm_place(const dprp_gemm *v, const int64_t *stride,
			   int64_t offset, int64_t i);

/* --- library_values.c: the values of LAPACK's routines --- */

/*
 * What a routine takes.  The strings `types` and `rows` have a letter for each
 * argument in memory, and `extents` has a letter for each extent of the
 * routine.
 *
 * types  a        elements of the routine's dtype
 *        r c i p  real, complex, int32, and int64 (pivots)
 * rows   m n      a matrix with this number of rows
 *        u v      a matrix of vectors with m or n rows, only with VECTORS
 *        h        the same with n rows or, without FULL, the smaller of m and n
 *        -        a vector
 */
struct library_values {
	const char *types, *rows, *extents;
	int64_t flags; /* all that the routine has */
};
extern const struct library_values library_values_list[LIBRARY_LAPACK_ROUTINES];

/* Whether the count, the extents, the leading dimensions and the flags are
   valid, apart from their size. */
bool library_values_are_valid(enum library_lapack_number routine,
			      const dprp_lapack *v);
/* Whether a matrix with these extents is small enough. */
bool library_values_fit(int64_t rows, int64_t columns);
/* Give a value to each extent that the routine does not have. */
void library_values_complete(enum library_lapack_number routine,
			     dprp_lapack *v);
/* The number of rows of argument @arg.  0: it is a vector, or is not used in
   this call. */
int64_t library_values_rows(enum library_lapack_number routine,
			    const dprp_lapack *v, size_t arg);
/* The bytes of an element of argument @arg.  The elements of the routine's
   dtype have @item bytes, and their real parts have @real. */
int64_t library_values_item(enum library_lapack_number routine, size_t arg,
			    int64_t item, int64_t real);

#endif
