/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_lapack.h - routines of LAPACK for the plugin with faults, by simple
   arithmetic in double complex, for matrices of up to 40 rows. */
#ifndef TESTS_FAULTY_LAPACK_H
#define TESTS_FAULTY_LAPACK_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/backend.h>

/* --- Arithmetic: lapack_dense.c ------------------------------------------- */

enum { DENSE_MOST = 40 };

struct dense {
	int64_t m, n;
	double complex v[DENSE_MOST][DENSE_MOST];
};

struct dense dense_identity(int64_t m, int64_t n);
/* x, conjugated and transposed. */
struct dense dense_turned(const struct dense *x);
void dense_transpose(struct dense *x);
/* Replace @a by its L and U, with the largest pivots, counted from 0.  Returns
   LAPACK's info. */
int64_t dense_lu(struct dense *a, int64_t *pivots);
/* Replace @b by the solution, with what dense_lu() made. */
void dense_solve(const struct dense *lu, const int64_t *pivots,
		 struct dense *b);
/* Replace @a by R and the reflectors. */
void dense_qr(struct dense *a, double complex *tau);
/* q = H x, where H is the product of @k reflections. */
void dense_reflect(const struct dense *a, const double complex *tau, int64_t k,
		   struct dense *q);
/* Singular values in descending order, the vectors of @a in its place, and v,
   for m >= n. */
void dense_svd(struct dense *a, double *s, struct dense *v);
/* Add orthonormal columns until there are as many as rows. */
void dense_complete(struct dense *x);
/* Eigenvalues and vectors. */
void dense_eigen(const struct dense *a, double complex *w, struct dense *v);

/* --- Routines: faulty_lapack.c -------------------------------------------- */

/* The module of a name such as "potrf float32", of @size bytes; or NULL. */
const dprp_native_module *faulty_lapack_find(const char *name, size_t size);
/* Have launches looked at: a routine refuses flags that it does not have. */
void faulty_lapack_offer(void);

#endif
