/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_lapack_call.c - the calls of cuSOLVER and cuBLAS for each routine of
 * LAPACK.
 *
 * The entries for a batch are one kernel for all matrices, and so are faster
 * for small matrices: see is_batch().  They want addresses of the matrices and
 * packed arrays of numbers, which our own kernels make.
 */
#include "backends/cuda/calls/cuda_lapack.h"

/* The most rows and columns of a batch of singular values that is one call. */
#define BATCH_SVD 32

/* A batch is one call for matrices of up to BATCH_ANY rows, however few they
   are, and of up to BATCH_MOST, if there is one for each BATCH_ROWS rows. */
#define BATCH_ANY 128
#define BATCH_MOST 512
#define BATCH_ROWS 64

enum { /* values of cuBLAS and cuSOLVER */
       OP_PLAIN = 0,
       OP_TRANSPOSED = 1,
       OP_CONJUGATED = 2,
       SIDE_LEFT = 0
};

/* --- What all routines need ----------------------------------------------- */

static dprp_rc check_status(const struct cuda_lapack *l,
			    const struct cuda_vendor_library *library,
			    int status, const char *call)
{
	return status ? cuda_vendor_failed(l->scope, library, status, call)
		      : DPR_RC_OK;
}

/* Call an entry of a library with its handle. */
#define SOLVER(l, entry, ...)                                      \
	check_status((l), &(l)->call->solver->base,                \
		     (l)->call->solver->entry((l)->solver->cu,     \
					      (l)->solver->params, \
					      __VA_ARGS__),        \
		     #entry)
/* Call the entry for the dtype, which is called @name. */
#define SOLVER_TYPED(l, member, name, ...)                         \
	check_status((l), &(l)->call->solver->base,                \
		     (l)->call->solver->member[(l)->dtype->index]( \
			     (l)->solver->cu, __VA_ARGS__),        \
		     "cusolverDn<t>" name)
#define BLAS_TYPED(l, member, name, ...)                                       \
	check_status((l), &(l)->call->blas->base,                              \
		     (l)->call->blas->member[(l)->dtype->index]((l)->blas->cu, \
								__VA_ARGS__),  \
		     "cublas<t>" name)

/* The last arguments of an entry of cuSOLVER, for problem @i. */
#define SPACE(l, size, i)                                                     \
	(void *)(uintptr_t)(l)->space.device, (size).device, (l)->space.host, \
		(size).host, cuda_lapack_at((l), (l)->infos, (i))

struct cuda_lapack_sizes {
	size_t device, host;
};

/* The matrices of an argument, with this leading dimension. */
static struct cuda_matrices matrices(const struct cuda_lapack *l, int arg,
				     int64_t problem)
{
	return (struct cuda_matrices){
		.at = (uintptr_t)cuda_lapack_at(l, arg, problem),
		.step = l->step[arg],
		.row = l->dtype->item,
		.column = l->v.leading[arg] * l->dtype->item
	};
}

static size_t rounded(size_t size)
{
	return (size + 255) / 256 * 256;
}

/* Get memory: for the library, and @own bytes of our own, whose place is
 *@place. */
static dprp_rc reserve(struct cuda_lapack *l,
		       const struct cuda_lapack_sizes *sizes, size_t own,
		       CUdeviceptr *place)
{
	const size_t device = rounded(sizes->device);
	const dprp_rc rc =
		cuda_solver_reserve(l->scope, l->solver, l->stream,
				    device + own, sizes->host, &l->space);

	if (place)
		*place = l->space.device + device;
	return rc;
}

/* Whether a batch is faster as one call. */
static bool is_small(const dprp_lapack *v)
{
	return v->count > 1 &&
	       (v->n <= BATCH_ANY ||
		(v->n <= BATCH_MOST && v->n / BATCH_ROWS <= v->count));
}

/* Whether one call is to factor the whole batch. */
static bool is_batch(const struct cuda_lapack *l)
{
	return is_small(&l->v) && l->is_narrow &&
	       l->step[l->infos] == (int64_t)sizeof(int32_t);
}

static int uplo(const struct cuda_lapack *l)
{
	return cuda_lapack_has(l, DPRP_LAPACK_UPPER);
}

/* What to solve for: the matrix, or the transposed one. */
static int operation(const struct cuda_lapack *l)
{
	return cuda_lapack_has(l, DPRP_LAPACK_CONJUGATED)   ? OP_CONJUGATED
	       : cuda_lapack_has(l, DPRP_LAPACK_TRANSPOSED) ? OP_TRANSPOSED
							    : OP_PLAIN;
}

/* --- potrf ---------------------------------------------------------------- */

/* The entry for a batch destroys the other triangle.  So that is saved, and
   restored afterwards. */
static dprp_rc potrf_batch(struct cuda_lapack *l)
{
	const int64_t n = l->v.n, count = l->v.count, item = l->dtype->item;
	const struct cuda_lapack_sizes none = { 0, 0 };
	const int part = uplo(l) ? CUDA_PART_LOWER : CUDA_PART_UPPER;
	const struct cuda_matrices a = matrices(l, 0, 0);
	struct cuda_matrices saved = { .step = n * n * item,
				       .row = item,
				       .column = n * item };
	const size_t addresses = rounded((size_t)count * sizeof(void *));
	CUdeviceptr list;
	dprp_rc rc = reserve(l, &none,
			     addresses + (size_t)(count * n * n * item), &list);

	saved.at = list + addresses;
	if (!rc)
		rc = cuda_lapack_help_copy(l, &saved, &a, n, n, count, part);
	if (!rc)
		rc = cuda_lapack_help_addresses(l, list, a.at, a.step, count);
	if (!rc)
		rc = SOLVER_TYPED(l, potrfs, "potrfBatched", uplo(l), (int)n,
				  (void *const *)(uintptr_t)list,
				  (int)l->v.leading[0], cuda_lapack_at(l, 1, 0),
				  (int)count);
	return rc ? rc
		  : cuda_lapack_help_copy(l, &a, &saved, n, n, count, part);
}

/* The packed matrices of our own, transposed. */
static struct cuda_matrices transposed_own(const struct cuda_lapack *l, uintptr_t at,
				   int64_t rows)
{
	return (struct cuda_matrices){ .at = at,
				       .row = rows * l->dtype->item,
				       .column = l->dtype->item };
}

/* Factor problem @i.  The upper factor of a matrix is the lower factor of the
   transposed matrix, transposed.  cuSOLVER finds lower factors faster, so
   @own gets the transposed matrix; 0: the lower factor is wanted. */
static dprp_rc potrf_one(struct cuda_lapack *l,
			 const struct cuda_lapack_sizes *s, CUdeviceptr own,
			 int64_t i)
{
	const int64_t n = l->v.n;
	const int type = l->dtype->type;
	const struct cuda_matrices a = matrices(l, 0, i);
	const struct cuda_matrices t = transposed_own(l, own, n);
	dprp_rc rc = DPR_RC_OK;

	if (own)
		rc = cuda_lapack_help_copy(l, &t, &a, n, n, 1, CUDA_PART_ALL);
	if (!rc)
		rc = SOLVER(l, cusolverDnXpotrf, 0, n, type,
			    (void *)(own ? (uintptr_t)own : a.at),
			    own ? n : l->v.leading[0], type, SPACE(l, *s, i));
	return rc || !own ? rc
			  : cuda_lapack_help_copy(l, &a, &t, n, n, 1,
						  CUDA_PART_ALL);
}

static dprp_rc call_potrf(struct cuda_lapack *l)
{
	const dprp_lapack *v = &l->v;
	const int type = l->dtype->type;
	const int64_t lda = uplo(l) ? v->n : v->leading[0];
	const size_t size =
		uplo(l) ? (size_t)(v->n * v->n * l->dtype->item) : 0;
	CUdeviceptr own = 0;
	struct cuda_lapack_sizes s;
	dprp_rc rc;

	if (is_batch(l))
		return potrf_batch(l);
	rc = SOLVER(l, cusolverDnXpotrf_bufferSize, 0, v->n, type,
		    cuda_lapack_at(l, 0, 0), lda, type, &s.device, &s.host);
	if (!rc)
		rc = reserve(l, &s, size, &own);
	for (int64_t i = 0; !rc && i < v->count; i++)
		rc = potrf_one(l, &s, size ? own : 0, i);
	return rc;
}

/* --- getrf and gesv ------------------------------------------------------- */

/* The libraries lose a NaN: cuSOLVER's factors of a matrix with NaN may be finite,
   and so a solution would be.  So matrices with NaN are marked before, and the
   diagonals of their factors become NaN. */

static size_t flags_size(const struct cuda_lapack *l)
{
	return (size_t)l->v.count * sizeof(int32_t);
}

/* What the entries for a batch need: lists of addresses, and pivots; and the
   marks of matrices with NaN. */
struct batch {
	CUdeviceptr a, b, pivots, flags;
};

/* Factor all matrices. */
static dprp_rc factor_batch(struct cuda_lapack *l, struct batch *batch)
{
	const int64_t n = l->v.n, count = l->v.count;
	const struct cuda_lapack_sizes none = { 0, 0 };
	const size_t list = rounded((size_t)count * sizeof(void *));
	const size_t pivots = rounded((size_t)(n * count) * 4);
	dprp_rc rc = reserve(l, &none, 2 * list + pivots + flags_size(l),
			     &batch->a);

	batch->b = batch->a + list;
	batch->pivots = batch->b + list;
	batch->flags = batch->pivots + pivots;
	if (!rc)
		rc = cuda_lapack_help_mark(l, batch->flags, false);
	if (!rc)
		rc = cuda_lapack_help_addresses(l, batch->a, l->arg[0],
						l->step[0], count);
	if (!rc)
		rc = BLAS_TYPED(l, getrf, "getrfBatched", (int)n,
				(void *const *)(uintptr_t)batch->a,
				(int)l->v.leading[0],
				(int *)(uintptr_t)batch->pivots,
				cuda_lapack_at(l, l->infos, 0), (int)count);
	return rc ? rc : cuda_lapack_help_spoil(l, batch->flags, 0, count);
}

/* Get the sizes for one matrix. */
static dprp_rc factor_sizes(struct cuda_lapack *l,
			    struct cuda_lapack_sizes *out)
{
	const int type = l->dtype->type;

	return SOLVER(l, cusolverDnXgetrf_bufferSize, l->v.m, l->v.n, type,
		      cuda_lapack_at(l, 0, 0), l->v.leading[0], type,
		      &out->device, &out->host);
}

static dprp_rc factor_one(struct cuda_lapack *l,
			  const struct cuda_lapack_sizes *s, CUdeviceptr flags,
			  int64_t *pivots, int64_t i)
{
	const int type = l->dtype->type;
	const dprp_rc rc =
		SOLVER(l, cusolverDnXgetrf, l->v.m, l->v.n, type,
		       cuda_lapack_at(l, 0, i), l->v.leading[0], pivots, type,
		       SPACE(l, *s, i));

	return rc ? rc : cuda_lapack_help_spoil(l, flags, i, 1);
}

static dprp_rc call_getrf(struct cuda_lapack *l)
{
	struct batch batch;
	CUdeviceptr flags = 0;
	struct cuda_lapack_sizes s;
	dprp_rc rc;

	if (l->v.m == l->v.n && is_batch(l)) {
		rc = factor_batch(l, &batch);
		return rc ? rc
			  : cuda_lapack_help_widen(l, 1, batch.pivots, l->v.n);
	}
	rc = factor_sizes(l, &s);
	if (!rc)
		rc = reserve(l, &s, flags_size(l), &flags);
	if (!rc)
		rc = cuda_lapack_help_mark(l, flags, false);
	for (int64_t i = 0; !rc && i < l->v.count; i++)
		rc = factor_one(l, &s, flags, cuda_lapack_at(l, 1, i), i);
	return rc;
}

static dprp_rc gesv_batch(struct cuda_lapack *l)
{
	const dprp_lapack *v = &l->v;
	int refused = 0; /* the number of an argument, which is checked already
			  */
	struct batch batch;
	dprp_rc rc = factor_batch(l, &batch);

	if (!rc)
		rc = cuda_lapack_help_addresses(l, batch.b, l->arg[1],
						l->step[1], v->count);
	return rc ? rc
		  : BLAS_TYPED(l, getrs, "getrsBatched", operation(l),
			       (int)v->n, (int)v->k,
			       (const void *const *)(uintptr_t)batch.a,
			       (int)v->leading[0],
			       (const int *)(uintptr_t)batch.pivots,
			       (void *const *)(uintptr_t)batch.b,
			       (int)v->leading[1], &refused, (int)v->count);
}

/* getrs has an info of its own, which is always 0. */
static dprp_rc call_gesv(struct cuda_lapack *l)
{
	const dprp_lapack *v = &l->v;
	const int type = l->dtype->type;
	const size_t pivots = rounded((size_t)v->n * sizeof(int64_t));
	const size_t flags = pivots + rounded(sizeof(int));
	CUdeviceptr own = 0;
	struct cuda_lapack_sizes s;
	dprp_rc rc;

	if (is_batch(l))
		return gesv_batch(l);
	rc = factor_sizes(l, &s);
	if (!rc)
		rc = reserve(l, &s, flags + flags_size(l), &own);
	if (!rc)
		rc = cuda_lapack_help_mark(l, own + flags, false);
	for (int64_t i = 0; !rc && i < v->count; i++) {
		rc = factor_one(l, &s, own + flags, (int64_t *)(uintptr_t)own,
				i);
		if (!rc)
			rc = SOLVER(l, cusolverDnXgetrs, operation(l), v->n,
				    v->k, type, cuda_lapack_at(l, 0, i),
				    v->leading[0],
				    (const int64_t *)(uintptr_t)own, type,
				    cuda_lapack_at(l, 1, i), v->leading[1],
				    (int *)(uintptr_t)(own + pivots));
	}
	return rc;
}

/* --- trtrs ---------------------------------------------------------------- */

/* cuSOLVER does not have it: cuBLAS solves, and our own kernel looks for a 0 on
   the diagonal. */
static dprp_rc call_trtrs(struct cuda_lapack *l)
{
	const dprp_lapack *v = &l->v;
	const struct cuda_lapack_sizes none = { 0, 0 };
	const size_t list = rounded((size_t)v->count * sizeof(void *));
	const int unit = cuda_lapack_has(l, DPRP_LAPACK_UNIT);
	const int op = operation(l);
	const bool batch = is_batch(l);
	CUdeviceptr own = 0;
	dprp_rc rc = batch ? reserve(l, &none, 2 * list, &own) : DPR_RC_OK;

	if (!rc)
		rc = cuda_lapack_help_diagonal(l);
	if (!rc && batch)
		rc = cuda_lapack_help_addresses(l, own, l->arg[0], l->step[0],
						v->count);
	if (!rc && batch)
		rc = cuda_lapack_help_addresses(l, own + list, l->arg[1],
						l->step[1], v->count);
	if (!rc && batch)
		return BLAS_TYPED(l, trsms, "trsmBatched", SIDE_LEFT, uplo(l),
				  op, unit, (int)v->n, (int)v->k, l->dtype->one,
				  (const void *const *)(uintptr_t)own,
				  (int)v->leading[0],
				  (void *const *)(uintptr_t)(own + list),
				  (int)v->leading[1], (int)v->count);
	for (int64_t i = 0; !rc && i < v->count; i++)
		rc = BLAS_TYPED(l, trsm, "trsm_v2", SIDE_LEFT, uplo(l), op,
				unit, (int)v->n, (int)v->k, l->dtype->one,
				cuda_lapack_at(l, 0, i), (int)v->leading[0],
				cuda_lapack_at(l, 1, i), (int)v->leading[1]);
	return rc;
}

/* --- geqrf and orgqr ------------------------------------------------------ */

static dprp_rc call_geqrf(struct cuda_lapack *l)
{
	const dprp_lapack *v = &l->v;
	const int type = l->dtype->type;
	struct cuda_lapack_sizes s;
	dprp_rc rc = SOLVER(l, cusolverDnXgeqrf_bufferSize, v->m, v->n, type,
			    cuda_lapack_at(l, 0, 0), v->leading[0], type,
			    cuda_lapack_at(l, 1, 0), type, &s.device, &s.host);

	if (!rc)
		rc = reserve(l, &s, 0, NULL);
	for (int64_t i = 0; !rc && i < v->count; i++)
		rc = SOLVER(l, cusolverDnXgeqrf, v->m, v->n, type,
			    cuda_lapack_at(l, 0, i), v->leading[0], type,
			    cuda_lapack_at(l, 1, i), type, SPACE(l, s, i));
	return rc;
}

static dprp_rc call_orgqr(struct cuda_lapack *l)
{
	const dprp_lapack *v = &l->v;
	const int m = (int)v->m, n = (int)v->n, k = (int)v->k;
	const int lda = (int)v->leading[0];
	struct cuda_lapack_sizes s = { 0, 0 };
	int size = 0;
	dprp_rc rc = SOLVER_TYPED(l, orgqr_size, "orgqr_bufferSize", m, n, k,
				  cuda_lapack_at(l, 0, 0), lda,
				  cuda_lapack_at(l, 1, 0), &size);

	s.device = (size_t)size * (size_t)l->dtype->item;
	if (!rc)
		rc = reserve(l, &s, 0, NULL);
	for (int64_t i = 0; !rc && i < v->count; i++)
		rc = SOLVER_TYPED(l, orgqr, "orgqr", m, n, k,
				  cuda_lapack_at(l, 0, i), lda,
				  cuda_lapack_at(l, 1, i),
				  (void *)(uintptr_t)l->space.device, size,
				  cuda_lapack_at(l, l->infos, i));
	return rc;
}

/* --- Eigenvalues ---------------------------------------------------------- */

/* Whether a batch is one call: its arrays must be packed. */
static bool is_packed_batch(const struct cuda_lapack *l)
{
	const struct cuda_solver *solver = l->call->solver;

	return is_small(&l->v) && solver->cusolverDnXsyevBatched_bufferSize &&
	       solver->cusolverDnXsyevBatched &&
	       l->step[0] == l->v.leading[0] * l->v.n * l->dtype->item &&
	       l->step[1] == l->v.n * l->dtype->real &&
	       l->step[2] == (int64_t)sizeof(int32_t);
}

static dprp_rc syev_batch(struct cuda_lapack *l)
{
	const dprp_lapack *v = &l->v;
	const int type = l->dtype->type, real = l->dtype->real_type;
	const int vectors = cuda_lapack_has(l, DPRP_LAPACK_VECTORS);
	struct cuda_lapack_sizes s;
	dprp_rc rc = SOLVER(l, cusolverDnXsyevBatched_bufferSize, vectors,
			    uplo(l), v->n, type, cuda_lapack_at(l, 0, 0),
			    v->leading[0], real, cuda_lapack_at(l, 1, 0), type,
			    &s.device, &s.host, v->count);

	if (!rc)
		rc = reserve(l, &s, 0, NULL);
	return rc ? rc
		  : SOLVER(l, cusolverDnXsyevBatched, vectors, uplo(l), v->n,
			   type, cuda_lapack_at(l, 0, 0), v->leading[0], real,
			   cuda_lapack_at(l, 1, 0), type, SPACE(l, s, 0),
			   v->count);
}

static dprp_rc call_syevd(struct cuda_lapack *l)
{
	const dprp_lapack *v = &l->v;
	const int type = l->dtype->type, real = l->dtype->real_type;
	const int vectors = cuda_lapack_has(l, DPRP_LAPACK_VECTORS);
	struct cuda_lapack_sizes s;
	dprp_rc rc;

	if (is_packed_batch(l))
		return syev_batch(l);
	rc = SOLVER(l, cusolverDnXsyevd_bufferSize, vectors, uplo(l), v->n,
		    type, cuda_lapack_at(l, 0, 0), v->leading[0], real,
		    cuda_lapack_at(l, 1, 0), type, &s.device, &s.host);
	if (!rc)
		rc = reserve(l, &s, 0, NULL);
	for (int64_t i = 0; !rc && i < v->count; i++)
		rc = SOLVER(l, cusolverDnXsyevd, vectors, uplo(l), v->n, type,
			    cuda_lapack_at(l, 0, i), v->leading[0], real,
			    cuda_lapack_at(l, 1, i), type, SPACE(l, s, i));
	return rc;
}

/* cusolverDnXgeev fails if a matrix is not finite, instead of setting its info.
   So mark these matrices first, at @flags, and wait for the answer: *@out gets an
   info for each problem.  The matrices with an info above 0 are then left alone.
   sizes->host of the reserved memory are the library's. */
static dprp_rc find_finite(struct cuda_lapack *l,
			   const struct cuda_lapack_sizes *sizes,
			   CUdeviceptr flags, const int32_t **out)
{
	int32_t *list =
		(int32_t *)((char *)l->space.host + rounded(sizes->host));
	dprp_rc rc = cuda_lapack_help_mark(l, flags, true);

	if (!rc)
		rc = CUDA_TRY_ON(l->scope->device, cuMemcpyAsync,
				 (CUdeviceptr)(uintptr_t)list, flags,
				 flags_size(l), l->stream);
	if (!rc)
		rc = CUDA_TRY_ON(l->scope->device, cuStreamSynchronize,
				 l->stream);
	for (int64_t i = 0; !rc && i < l->v.count; i++)
		if (list[i])
			rc = CUDA_TRY_ON(
				l->scope->device, cuMemsetD32Async,
				(CUdeviceptr)(uintptr_t)cuda_lapack_at(
					l, l->infos, i),
				(unsigned)list[i], 1, l->stream);
	*out = list;
	return rc;
}

/* As reserve(), with room for find_finite(), whose marks are at *@flags. */
static dprp_rc reserve_scanned(struct cuda_lapack *l,
			       const struct cuda_lapack_sizes *sizes,
			       size_t own, CUdeviceptr *place,
			       CUdeviceptr *flags)
{
	const struct cuda_lapack_sizes more = {
		sizes->device, rounded(sizes->host) + flags_size(l)
	};
	const dprp_rc rc =
		reserve(l, &more, rounded(own) + flags_size(l), place);

	*flags = *place + rounded(own);
	return rc;
}

/* The vectors of real matrices come as real numbers, into memory of our own. */
static dprp_rc call_geev(struct cuda_lapack *l)
{
	const dprp_lapack *v = &l->v;
	const int type = l->dtype->type;
	const int values = l->dtype->real == 4 ? 4 : 5; /* complex */
	const int vectors = cuda_lapack_has(l, DPRP_LAPACK_VECTORS);
	const bool spread = vectors && type != values;
	const int64_t ldv = vectors && !spread ? v->leading[2] : v->n;
	const size_t size = spread ? (size_t)(v->n * v->n * l->dtype->item) : 0;
	const int32_t *info = NULL;
	CUdeviceptr own = 0, flags = 0;
	struct cuda_lapack_sizes s;
	dprp_rc rc =
		SOLVER(l, cusolverDnXgeev_bufferSize, 0, vectors, v->n, type,
		       cuda_lapack_at(l, 0, 0), v->leading[0], values,
		       cuda_lapack_at(l, 1, 0), type, NULL, v->n, type,
		       cuda_lapack_at(l, 2, 0), ldv, type, &s.device, &s.host);

	if (!rc)
		rc = reserve_scanned(l, &s, size, &own, &flags);
	if (!rc)
		rc = find_finite(l, &s, flags, &info);
	for (int64_t i = 0; !rc && i < v->count; i++) {
		void *to = spread ? (void *)(uintptr_t)own
				  : cuda_lapack_at(l, 2, i);

		if (info[i])
			continue;
		rc = SOLVER(l, cusolverDnXgeev, 0, vectors, v->n, type,
			    cuda_lapack_at(l, 0, i), v->leading[0], values,
			    cuda_lapack_at(l, 1, i), type, NULL, v->n, type,
			    vectors ? to : NULL, ldv, type, SPACE(l, s, i));
		if (!rc && spread)
			rc = cuda_lapack_help_spread(l, own, i);
	}
	return rc;
}

/* --- Singular values ------------------------------------------------------ */

/* A decomposition by cusolverDnXgesvd, which takes matrices with at least as
   many rows as columns.  Of others it gets the transposed matrix: then the
   factors change their places, transposed. */
struct cuda_svd {
	int64_t rows, columns; /* of what the library sees */
	bool is_transposed;
	signed char job;
	int64_t lda, ldu, ldvh, columns_u;
	/* If it is transposed: the matrix and the factors. */
	uintptr_t a, u, vh;
	CUdeviceptr flags; /* of find_finite() */
	struct cuda_lapack_sizes sizes;
};

static dprp_rc svd_prepare(struct cuda_lapack *l, struct cuda_svd *d)
{
	const dprp_lapack *v = &l->v;
	const int type = l->dtype->type, real = l->dtype->real_type;
	const bool vectors = cuda_lapack_has(l, DPRP_LAPACK_VECTORS);
	const bool full = cuda_lapack_has(l, DPRP_LAPACK_FULL);
	const size_t item = (size_t)l->dtype->item;
	size_t size_a, size_u, size_vh;
	CUdeviceptr own = 0;
	dprp_rc rc;

	d->is_transposed = v->m < v->n;
	d->rows = d->is_transposed ? v->n : v->m;
	d->columns = d->is_transposed ? v->m : v->n;
	d->job = (signed char)(!vectors ? 'N' : full ? 'A' : 'S');
	d->columns_u = full ? d->rows : d->columns;
	d->lda = d->is_transposed ? d->rows : v->leading[0];
	d->ldu = vectors && !d->is_transposed ? v->leading[2] : d->rows;
	d->ldvh = vectors && !d->is_transposed ? v->leading[3] : d->columns;
	rc = SOLVER(l, cusolverDnXgesvd_bufferSize, d->job, d->job, d->rows,
		    d->columns, type, cuda_lapack_at(l, 0, 0), d->lda, real,
		    cuda_lapack_at(l, 1, 0), type, cuda_lapack_at(l, 2, 0),
		    d->ldu, type, cuda_lapack_at(l, 3, 0), d->ldvh, type,
		    &d->sizes.device, &d->sizes.host);
	if (rc)
		return rc;
	size_a = rounded((size_t)(d->rows * d->columns) * item);
	size_u = rounded((size_t)(d->rows * d->columns_u) * item);
	size_vh = (size_t)(d->columns * d->columns) * item;
	rc = reserve_scanned(l, &d->sizes,
			     !d->is_transposed ? 0
			     : vectors     ? size_a + size_u + size_vh
					   : size_a,
			     &own, &d->flags);
	d->a = own;
	d->u = own + size_a;
	d->vh = own + size_a + size_u;
	return rc;
}

static dprp_rc svd_one(struct cuda_lapack *l, const struct cuda_svd *d,
		       int64_t i)
{
	const int type = l->dtype->type, real = l->dtype->real_type;
	const bool vectors = cuda_lapack_has(l, DPRP_LAPACK_VECTORS);
	const struct cuda_matrices a = matrices(l, 0, i);
	const struct cuda_matrices u = matrices(l, 2, i);
	const struct cuda_matrices vh = matrices(l, 3, i);
	const struct cuda_matrices own_a = transposed_own(l, d->a, d->rows);
	const struct cuda_matrices own_u = transposed_own(l, d->u, d->rows);
	const struct cuda_matrices own_vh = transposed_own(l, d->vh, d->columns);
	const bool t = d->is_transposed;
	dprp_rc rc = DPR_RC_OK;

	if (t)
		rc = cuda_lapack_help_copy(l, &own_a, &a, d->columns, d->rows,
					   1, CUDA_PART_ALL);
	if (!rc)
		rc = SOLVER(l, cusolverDnXgesvd, d->job, d->job, d->rows,
			    d->columns, type, (void *)(t ? d->a : a.at), d->lda,
			    real, cuda_lapack_at(l, 1, i), type,
			    (void *)(t ? d->u : u.at), d->ldu, type,
			    (void *)(t ? d->vh : vh.at), d->ldvh, type,
			    SPACE(l, d->sizes, i));
	if (!rc && t && vectors)
		rc = cuda_lapack_help_copy(l, &u, &own_vh, d->columns,
					   d->columns, 1, CUDA_PART_ALL);
	if (!rc && t && vectors)
		rc = cuda_lapack_help_copy(l, &vh, &own_u, d->columns_u,
					   d->rows, 1, CUDA_PART_ALL);
	return rc;
}

/* Whether a batch is one call: its matrices must be small, and the singular values
   and the numbers in info packed. */
static bool is_svd_batch(const struct cuda_lapack *l)
{
	const int64_t min = l->v.m < l->v.n ? l->v.m : l->v.n;

	return l->v.count > 1 && l->v.m <= BATCH_SVD && l->v.n <= BATCH_SVD &&
	       l->is_narrow && l->step[1] == min * l->dtype->real &&
	       l->step[l->infos] == (int64_t)sizeof(int32_t);
}

/* Packed matrices of our own, for gesvdj: of all problems. */
struct jacobi {
	struct cuda_matrices a, u, v;
	CUdeviceptr work;
	int size;
};

static struct cuda_matrices packed_own(const struct cuda_lapack *l,
				       CUdeviceptr *place, int64_t rows,
				       int64_t columns)
{
	const int64_t item = l->dtype->item, step = rows * columns * item;
	const struct cuda_matrices out = { .at = *place,
					   .step = step,
					   .row = item,
					   .column = rows * item };

	*place += rounded((size_t)(step * l->v.count));
	return out;
}

static dprp_rc jacobi_prepare(struct cuda_lapack *l, struct jacobi *j)
{
	const int64_t m = l->v.m, n = l->v.n;
	const int vectors = cuda_lapack_has(l, DPRP_LAPACK_VECTORS);
	CUdeviceptr own = 0, end;
	struct cuda_lapack_sizes sizes = { 0, 0 };
	dprp_rc rc;

	rc = SOLVER_TYPED(l, gesvdjs_size, "gesvdjBatched_bufferSize", vectors,
			  (int)m, (int)n, cuda_lapack_at(l, 0, 0), (int)m,
			  cuda_lapack_at(l, 1, 0), cuda_lapack_at(l, 2, 0),
			  (int)m, cuda_lapack_at(l, 3, 0), (int)n, &j->size,
			  l->solver->jacobi, (int)l->v.count);
	if (rc)
		return rc;
	sizes.device = (size_t)j->size * (size_t)l->dtype->item;
	/* The first turn counts the bytes. */
	for (int turn = 0; !rc && turn < 2; turn++) {
		end = own;
		j->a = packed_own(l, &end, m, n);
		j->u = packed_own(l, &end, m, m);
		j->v = packed_own(l, &end, n, n);
		if (!turn)
			rc = reserve(l, &sizes, (size_t)end, &own);
	}
	j->work = l->space.device;
	return rc;
}

/* gesvdj has all vectors, and v where LAPACK has v^H. */
static dprp_rc jacobi_give(struct cuda_lapack *l, const struct jacobi *j)
{
	const dprp_lapack *v = &l->v;
	const int64_t min = v->m < v->n ? v->m : v->n;
	const bool full = cuda_lapack_has(l, DPRP_LAPACK_FULL);
	const struct cuda_matrices u = matrices(l, 2, 0);
	const struct cuda_matrices vh = matrices(l, 3, 0);
	struct cuda_matrices turned = j->v;
	const dprp_rc rc =
		cuda_lapack_help_copy(l, &u, &j->u, v->m, full ? v->m : min,
				      v->count, CUDA_PART_ALL);

	turned.row = j->v.column;
	turned.column = j->v.row;
	return rc ? rc
		  : cuda_lapack_help_copy(l, &vh, &turned, full ? v->n : min,
					  v->n, v->count, CUDA_PART_CONJUGATED);
}

/* A batch of small matrices is one call, by Jacobi's method, which is as exact as
   LAPACK for so small ones.  The library gets copies.  So the info of a matrix that is
   not finite can be set afterwards, and nobody waits. */
static dprp_rc gesdd_batch(struct cuda_lapack *l)
{
	const dprp_lapack *v = &l->v;
	const struct cuda_matrices a = matrices(l, 0, 0);
	const int vectors = cuda_lapack_has(l, DPRP_LAPACK_VECTORS);
	struct jacobi j;
	dprp_rc rc = jacobi_prepare(l, &j);

	if (!rc)
		rc = cuda_lapack_help_copy(l, &j.a, &a, v->m, v->n, v->count,
					   CUDA_PART_ALL);
	if (!rc)
		rc = SOLVER_TYPED(l, gesvdjs, "gesvdjBatched", vectors,
				  (int)v->m, (int)v->n, (void *)j.a.at,
				  (int)v->m, cuda_lapack_at(l, 1, 0),
				  (void *)j.u.at, (int)v->m, (void *)j.v.at,
				  (int)v->n, (void *)(uintptr_t)j.work, j.size,
				  cuda_lapack_at(l, l->infos, 0),
				  l->solver->jacobi, (int)v->count);
	if (!rc)
		rc = cuda_lapack_help_mark_infos(l);
	return rc || !vectors ? rc : jacobi_give(l, &j);
}

static dprp_rc call_gesdd(struct cuda_lapack *l)
{
	const int32_t *info = NULL;
	struct cuda_svd d;
	dprp_rc rc;

	if (is_svd_batch(l))
		return gesdd_batch(l);
	rc = svd_prepare(l, &d);
	if (!rc)
		rc = find_finite(l, &d.sizes, d.flags, &info);
	for (int64_t i = 0; !rc && i < l->v.count; i++)
		if (!info[i])
			rc = svd_one(l, &d, i);
	return rc;
}

dprp_rc (*const cuda_lapack_call_list[LIBRARY_LAPACK_ROUTINES])(
	struct cuda_lapack *l) = {
	[LIBRARY_POTRF] = call_potrf, [LIBRARY_GETRF] = call_getrf,
	[LIBRARY_GESV] = call_gesv,   [LIBRARY_TRTRS] = call_trtrs,
	[LIBRARY_GEQRF] = call_geqrf, [LIBRARY_ORGQR] = call_orgqr,
	[LIBRARY_SYEVD] = call_syevd, [LIBRARY_GEEV] = call_geev,
	[LIBRARY_GESDD] = call_gesdd,
};
