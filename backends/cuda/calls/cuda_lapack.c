/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_lapack.c - routines of LAPACK by cuSOLVER: checks of a launch, and what
 * all routines do.
 *
 * Limits.  orgqr, the triangles of trtrs, and batches of small matrices take
 * numbers of 32 bits; all others take numbers of 64 bits.  A batch of potrf,
 * getrf, gesv, trtrs and syevd is one call for small matrices, if the numbers in
 * info are neighbours (cuda_lapack_call.c); other batches are a call for each
 * matrix.  geev and gesdd wait for their matrices, some routines of cuSOLVER wait
 * for the stream, and so does a launch that needs much memory of the host.
 */
#include "backends/cuda/calls/cuda_lapack.h"

/* A matrix with more elements is refused: no memory has room for it. */
#define MOST_ELEMENTS ((int64_t)1 << 50)

/*
 * The strings `types` and `rows` have a letter for each argument in memory, and
 * `extents` has a letter for each extent of the routine.
 *
 * types  a        elements of the routine's dtype
 *        r c i p  real, complex, int32, and int64 (pivots)
 * rows   m n      a matrix with this number of rows
 *        u v      a matrix of vectors with m or n rows, only with VECTORS
 *        h        the same with n rows or, without FULL, the smaller of m and n
 *        -        a vector
 */
static const struct {
	const char *types, *rows, *extents;
	int64_t flags;
	bool needs_narrow; /* its numbers have 32 bits */
} about[CUDA_LAPACK_ROUTINES] = {
	[CUDA_LAPACK_POTRF] = { "ai", "n-", "n", DPRP_LAPACK_UPPER, false },
	[CUDA_LAPACK_GETRF] = { "api", "m--", "mn", 0, false },
	[CUDA_LAPACK_GESV] = { "aai", "nn-", "nk", 0, false },
	[CUDA_LAPACK_TRTRS] = { "aai", "nn-", "nk",
				DPRP_LAPACK_UPPER | DPRP_LAPACK_UNIT |
					DPRP_LAPACK_TRANSPOSED |
					DPRP_LAPACK_CONJUGATED,
				true },
	[CUDA_LAPACK_GEQRF] = { "aai", "m--", "mn", 0, false },
	[CUDA_LAPACK_ORGQR] = { "aai", "m--", "mnk", 0, true },
	[CUDA_LAPACK_SYEVD] = { "ari", "n--", "n",
				DPRP_LAPACK_UPPER | DPRP_LAPACK_VECTORS,
				false },
	[CUDA_LAPACK_GEEV] = { "acci", "n-v-", "n", DPRP_LAPACK_VECTORS,
			       false },
	[CUDA_LAPACK_GESDD] = { "araai", "m-uh-", "mn",
				DPRP_LAPACK_VECTORS | DPRP_LAPACK_FULL, false },
};

bool cuda_lapack_is_there(const struct cuda_solver *solver,
			  enum cuda_lapack_routine routine)
{
	return routine != CUDA_LAPACK_GEEV ||
	       (solver->cusolverDnXgeev_bufferSize && solver->cusolverDnXgeev);
}

/* --- Checks --------------------------------------------------------------- */

static bool has_extent(enum cuda_lapack_routine routine, char extent)
{
	return strchr(about[routine].extents, extent) != NULL;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Bytes of an element of an argument. */
static int64_t item_size(const struct cuda_dtype *dtype, char type)
{
	switch (type) {
	case 'i': return 4;
	case 'p': return 8;
	case 'r': return dtype->real;
	case 'c': return 2 * dtype->real;
	default: return dtype->item;
	}
}

/* The number of rows of an argument, for its letter @rows.  0: the argument is
   a vector, or is not used in this call. */
static int64_t rows_of(const dprp_lapack *v, char rows)
{
	if (strchr("uvh", rows) && !(v->flags & DPRP_LAPACK_VECTORS))
		return 0;
	switch (rows) {
	case 'm':
	case 'u': return v->m;
	case 'n':
	case 'v': return v->n;
	case 'h':
		return v->flags & DPRP_LAPACK_FULL ? v->n : smaller(v->m, v->n);
	default: return 0;
	}
}

static bool is_valid(enum cuda_lapack_routine routine, const dprp_lapack *v)
{
	const int64_t both = DPRP_LAPACK_TRANSPOSED | DPRP_LAPACK_CONJUGATED;
	const char *rows = about[routine].rows;
	bool good = v->count > 0 && !(v->flags & ~about[routine].flags) &&
		    (v->flags & both) != both;

	good = good && (v->m > 0 || !has_extent(routine, 'm')) &&
	       (v->n > 0 || !has_extent(routine, 'n')) &&
	       (v->k > 0 || !has_extent(routine, 'k'));
	if (routine == CUDA_LAPACK_ORGQR)
		good = good && v->m >= v->n && v->n >= v->k;
	for (int i = 0; good && rows[i]; i++)
		good = rows[i] == '-' || v->leading[i] >= rows_of(v, rows[i]);
	return good;
}

/* Whether the product of two extents is no larger than a matrix may be. */
static bool is_small_enough(int64_t a, int64_t b)
{
	return !__builtin_mul_overflow(a, b, &a) && a <= MOST_ELEMENTS;
}

static bool is_narrow(enum cuda_lapack_routine routine, const dprp_lapack *v)
{
	const char *rows = about[routine].rows;
	bool good = v->m <= INT32_MAX && v->n <= INT32_MAX &&
		    v->k <= INT32_MAX && v->count <= INT32_MAX;

	for (int i = 0; good && rows[i]; i++)
		good = !rows_of(v, rows[i]) || v->leading[i] <= INT32_MAX;
	return good;
}

/* Give a value to each extent that the routine does not have. */
static void complete(enum cuda_lapack_routine routine, dprp_lapack *v)
{
	if (!has_extent(routine, 'm'))
		v->m = v->n;
	if (!has_extent(routine, 'k'))
		v->k = 1;
}

static dprp_rc check(const struct cuda_lapack *l, const dprp_host *host)
{
	const struct cuda_routine *routine = l->call->routine;
	const dprp_lapack *v = &l->v;
	const bool full = cuda_lapack_has(l, DPRP_LAPACK_FULL);

	if (!is_small_enough(v->m, v->n) || !is_small_enough(v->m, v->k) ||
	    (full &&
	     (!is_small_enough(v->m, v->m) || !is_small_enough(v->n, v->n))))
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "%s: no matrix is that large", routine->name);
	if (about[routine->lapack].needs_narrow && !l->is_narrow)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "%s: a number is above 2147483647, the most "
				 "that %s takes",
				 routine->name, l->call->solver->base.name);
	return DPR_RC_OK;
}

static dprp_rc take_args(struct cuda_lapack *l, const dprp_host *host,
			 const dprp_launch *launch)
{
	const struct cuda_routine *routine = l->call->routine;
	const dprp_arg *value = &launch->args[launch->n_args - 1];
	bool good =
		value->kind == DPRP_ARG_VALUE && value->size == sizeof(l->v);

	l->infos = (int)routine->n_mem - 1;
	for (uint32_t i = 0; i < routine->n_mem; i++) {
		l->arg[i] = cuda_work_address(launch, i);
		good = good && l->arg[i];
	}
	if (!good)
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "%s: the arguments must be %u memory objects "
				 "and a dprp_lapack",
				 routine->name, routine->n_mem);
	memcpy(&l->v, value->u.value, sizeof(l->v));
	if (!is_valid(routine->lapack, &l->v))
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "%s: an extent or the count is below 1, "
				 "extents or a leading dimension do not fit, "
				 "or the routine does not have a flag",
				 routine->name);
	complete(routine->lapack, &l->v);
	l->is_narrow = is_narrow(routine->lapack, &l->v);
	for (uint32_t i = 0; i < routine->n_mem; i++) {
		const int64_t item =
			item_size(l->dtype, about[routine->lapack].types[i]);

		l->arg[i] += (uintptr_t)(l->v.offset[i] * item);
		l->step[i] = l->v.stride[i] * item;
	}
	return check(l, host);
}

/* --- Launches ------------------------------------------------------------- */

static dprp_rc submit_calls(struct cuda_lapack *l)
{
	const struct cuda_call *call = l->call;
	dprp_rc rc = cuda_lapack_call_list[call->routine->lapack](l);
	dprp_rc done =
		cuda_solver_done(l->scope, l->solver, l->stream, &l->space);

	/* The text is that of the last failure. */
	if (done)
		rc = done;
	/* Some of the work may be in the stream, although the submission fails.
	   Wait for it, because the core takes the memory for unused. */
	if (rc)
		cuda_stream_settle(&l->scope->context->instance->cu, l->stream);
	return rc;
}

static dprp_rc submit_routine(void *work, struct cuda_scope *scope,
			      const struct cuda_stream *stream)
{
	const struct cuda_api *cu = &scope->context->instance->cu;
	struct cuda_lapack *l = work;
	const struct cuda_vendor_library *solver = &l->call->solver->base;
	const struct cuda_vendor_library *blas = &l->call->blas->base;
	/* Routines of cuSOLVER copy to the host, and wait. */
	CUstreamCaptureMode mode = cuda_capture_ignore(cu);
	dprp_rc rc;

	l->scope = scope;
	l->stream = stream->cu;
	rc = cuda_vendor_take(scope, solver, stream, &l->solver);
	if (!rc) {
		rc = cuda_vendor_take(scope, blas, stream, &l->blas);
		if (!rc) {
			rc = submit_calls(l);
			cuda_vendor_put(scope, blas, l->blas);
		}
		cuda_vendor_put(scope, solver, l->solver);
	}
	cuda_capture_heed(cu, mode);
	return rc;
}

dprp_rc cuda_lapack_launch(dprp_queue *queue, const struct cuda_call *call,
			   const dprp_launch *launch, const dprp_deps *deps,
			   dprp_event **event)
{
	struct cuda_lapack l = { .call = call, .dtype = call->dtype };
	const dprp_rc rc = take_args(&l, queue->instance->host, launch);

	return rc ? rc
		  : cuda_work_run(queue, call->routine, submit_routine, &l,
				  deps, event);
}
