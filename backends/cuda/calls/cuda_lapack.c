/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_lapack.c - routines of LAPACK by cuSOLVER: checks of a launch, and what
 * all routines do.
 *
 * Limits.  orgqr, the triangles of trtrs, and batches of small matrices take
 * numbers of 32 bits; all others take numbers of 64 bits.  A batch of potrf,
 * getrf, gesv, trtrs, syevd and gesdd is one call for small matrices, if the numbers
 * in info are neighbours (cuda_lapack_call.c).  getrf also needs square matrices,
 * syevd packed arrays and a cuSOLVER that has the entry, and gesdd packed values.
 * Other batches are a call for each matrix.  geev and gesdd then wait for their
 * matrices, some routines of cuSOLVER wait for the stream, and so does a launch that
 * needs much memory of the host.
 */
#include "backends/cuda/calls/cuda_lapack.h"

bool cuda_lapack_is_there(const struct cuda_solver *solver,
			  enum library_lapack_number routine)
{
	return routine != LIBRARY_GEEV ||
	       (solver->cusolverDnXgeev_bufferSize && solver->cusolverDnXgeev);
}

/* --- Checks --------------------------------------------------------------- */

/* Whether the numbers that cuSOLVER takes for a routine have 32 bits. */
static bool needs_narrow(enum library_lapack_number routine)
{
	return routine == LIBRARY_TRTRS || routine == LIBRARY_ORGQR;
}

/* Whether all numbers have room in 32 bits. */
static bool is_narrow(enum library_lapack_number routine, const dprp_lapack *v)
{
	const char *rows = library_values_list[routine].rows;
	bool good = v->m <= INT32_MAX && v->n <= INT32_MAX &&
		    v->k <= INT32_MAX && v->count <= INT32_MAX;

	for (size_t i = 0; good && rows[i]; i++)
		good = !library_values_rows(routine, v, i) ||
		       v->leading[i] <= INT32_MAX;
	return good;
}

static dprp_rc check(const struct cuda_lapack *l, const dprp_host *host)
{
	const struct cuda_routine *routine = l->call->routine;
	const dprp_lapack *v = &l->v;
	const bool full = cuda_lapack_has(l, DPRP_LAPACK_FULL);

	if (!library_values_fit(v->m, v->n) ||
	    !library_values_fit(v->m, v->k) ||
	    (full && (!library_values_fit(v->m, v->m) ||
		      !library_values_fit(v->n, v->n))))
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "%s: no matrix is that large", routine->name);
	if (needs_narrow(routine->lapack) && !l->is_narrow)
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
	if (!library_values_are_valid(routine->lapack, &l->v))
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "%s: an extent or the count is below 1, "
				 "extents or a leading dimension do not fit, "
				 "or the routine does not have a flag",
				 routine->name);
	library_values_complete(routine->lapack, &l->v);
	l->is_narrow = is_narrow(routine->lapack, &l->v);
	for (uint32_t i = 0; i < routine->n_mem; i++) {
		const int64_t item = library_values_item(
			routine->lapack, i, l->dtype->item, l->dtype->real);

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
	const struct cuda_vendor_library *blas =
		l->call->blas ? &l->call->blas->base : NULL;
	/* Routines of cuSOLVER copy to the host, and wait. */
	CUstreamCaptureMode mode = cuda_capture_ignore(cu);
	dprp_rc rc;

	l->scope = scope;
	l->stream = stream->cu;
	rc = cuda_vendor_take(scope, solver, stream, &l->solver);
	if (!rc) {
		if (blas)
			rc = cuda_vendor_take(scope, blas, stream, &l->blas);
		if (!rc)
			rc = submit_calls(l);
		if (l->blas)
			cuda_vendor_put(scope, blas, l->blas);
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
