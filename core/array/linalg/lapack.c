/* SPDX-License-Identifier: Apache-2.0 */
/* lapack.c - launches of LAPACK's routines. */
#include "core/array/linalg/lapack.h"

#include <stdio.h>
#include <string.h>

#include <dpr/launch.h>

#include "core/array/object/array.h"
#include "core/array/products/routines.h"
#include "core/base/call_stack.h"
#include "core/base/mem.h"
#include "core/base/status.h"

struct lapack_entry {
	const char *name;
	/* the names in images: of float32, float64, complex64, complex128 */
	const char *image[4];
	/* What a number above 0 in `info` means: the text around the number.
	   NULL: the number is not a failure. */
	const char *why, *why_end;
};

#define ROUTINE(name_, why_, end_)                                    \
	{                                                             \
		.name = name_,                                        \
		.image = { name_ " float32", name_ " float64",        \
			   name_ " complex64", name_ " complex128" }, \
		.why = why_, .why_end = end_                          \
	}
#define NOT_CONVERGED                                                      \
	"has no result: the iteration did not converge, or an element is " \
	"NaN or infinite (LAPACK's info is "

static const struct lapack_entry routines[] = {
	[LAPACK_POTRF] =
		ROUTINE("potrf", "is not positive definite: its leading minor ",
			" is not"),
	/* A factorisation with a 0 on the diagonal is a result. */
	[LAPACK_GETRF] = ROUTINE("getrf", NULL, NULL),
	[LAPACK_GETRI] = ROUTINE("getri", "is singular: pivot ", " is 0"),
	[LAPACK_GESV] = ROUTINE("gesv", "is singular: pivot ", " is 0"),
	[LAPACK_TRTRS] = ROUTINE("trtrs", "is singular: element ",
				 " of its diagonal is 0"),
	[LAPACK_GEQRF] = ROUTINE("geqrf", NULL, NULL),
	[LAPACK_ORGQR] = ROUTINE("orgqr", NULL, NULL),
	[LAPACK_SYEVD] = ROUTINE("syevd", NOT_CONVERGED, ")"),
	[LAPACK_GEEV] = ROUTINE("geev", NOT_CONVERGED, ")"),
	[LAPACK_GESDD] = ROUTINE("gesdd", NOT_CONVERGED, ")"),
};

const char *lapack_name(enum lapack_routine routine)
{
	return routines[routine].name;
}

static const char *image_of(enum lapack_routine routine, dpr_dtype dtype)
{
	const bool wide = dtype == DPR_FLOAT64 || dtype == DPR_COMPLEX128;

	return routines[routine]
		.image[(dpr_dtype_kind(dtype) == 'c' ? 2 : 0) + wide];
}

dpr_status lapack_find(dpr_queue *queue, enum lapack_routine routine,
		       dpr_dtype dtype, bool *found)
{
	dpr_kernel *kernel;
	dpr_status status =
		routines_get(queue, image_of(routine, dtype), &kernel);

	*found = !status && kernel;
	return status;
}

/* --- Failures ------------------------------------------------------------- */

/* Write the name of matrix @at of the batch, such as "x[2, 0]".  The name has
   the axes that the operand itself has. */
static void name_matrix(const struct lapack_call *call, int64_t at, char *text,
			size_t room)
{
	const int own = call->x->rank - 2;
	int64_t index[DPR_MAX_RANK];
	size_t used = (size_t)snprintf(text, room, "%s", call->name);

	for (int d = own - 1, b = call->n_batch - 1; d >= 0; d--, b--) {
		index[d] = call->x->dim[d] == 1 ? 0 : at % call->batch[b];
		at /= call->batch[b];
	}
	for (int d = 0; d < own && used < room; d++)
		used += (size_t)snprintf(text + used, room - used, "%s%lld",
					 d ? ", " : "[", (long long)index[d]);
	if (own && used < room)
		snprintf(text + used, room - used, "]");
}

/* Fail because of @info, the number of matrix @at. */
static dpr_status fail_info(const struct lapack_call *call, int64_t at,
			    int32_t info)
{
	const struct lapack_entry *routine = &routines[call->routine];
	char matrix[160];

	name_matrix(call, at, matrix, sizeof(matrix));
	if (info < 0)
		return fail(DPR_ERROR_INTERNAL,
			    "%s: %s refused argument %d for %s", call->what,
			    routine->name, -info, matrix);
	return fail(DPR_ERROR_LINALG, "%s: %s %s%d%s", call->what, matrix,
		    routine->why, info, routine->why_end);
}

/* Wait for the routine, and check the numbers that it has stored in @info. */
static dpr_status check_info(const struct lapack_call *call,
			     const dpr_array *info)
{
	int32_t few[64], *numbers = few;
	dpr_status status;

	if (info->size > 64)
		numbers = mem_array((size_t)info->size, sizeof(*numbers));
	if (!numbers)
		return fail_memory(call->what);
	status = dpr_array_to_memory(
		info, numbers, (size_t)info->size * sizeof(*numbers), NULL);
	for (int64_t i = 0; !status && i < info->size; i++)
		if (numbers[i] < 0 || (numbers[i] > 0 && !call->info &&
				       routines[call->routine].why))
			status = fail_info(call, i, numbers[i]);
	if (numbers != few)
		mem_free(numbers);
	return status;
}

/* --- Launches ------------------------------------------------------------- */

static int64_t count_of(const struct lapack_call *call)
{
	int64_t count = 1;

	for (int d = 0; d < call->n_batch; d++)
		count *= call->batch[d];
	return count;
}

/* Describe argument @i, an array of matrices or vectors.  The strides of a
   contiguous array are not used: along axes of extent 1 they may be any. */
static void describe(const struct lapack_call *call, int i, dprp_lapack *to)
{
	const dpr_array *x = call->arrays[i];
	const int64_t *stride = array_strides(x);
	const int n_batch = call->n_batch;
	const bool is_matrix = x->rank > n_batch + 1;
	const int64_t last = x->dim[x->rank - 1];

	to->offset[i] = x->offset;
	to->leading[i] = is_matrix && !x->contiguous ? stride[n_batch] : last;
	to->stride[i] = x->contiguous ? last * (is_matrix ? x->dim[n_batch] : 1)
			: n_batch     ? stride[n_batch - 1]
				      : 0;
}

static dpr_status launch(const struct lapack_call *call, dpr_kernel *kernel,
			 const dpr_array *info)
{
	dprp_lapack values = { .m = call->m,
			       .n = call->n,
			       .k = call->k,
			       .count = count_of(call),
			       .flags = call->flags };
	dpr_arg args[DPRP_LAPACK_ARGS + 1];
	const int n = call->n_arrays;
	dpr_status status;
	bool titled;

	for (int i = 0; i < n; i++) {
		describe(call, i, &values);
		args[i] = dpr_arg_usm_use(call->arrays[i]->usm, 0,
					  i < call->n_read ? DPR_READ
							   : DPR_READ_WRITE);
	}
	values.offset[n] = info->offset;
	values.stride[n] = values.leading[n] = 1;
	args[n] = dpr_arg_usm_use(info->usm, 0, DPR_READ_WRITE);
	args[n + 1] = dpr_arg_bytes(&values, sizeof(values));
	titled = call_stack_title_begin(call->what);
	status = dpr_kernel_launch_usm(call->queue, kernel, dpr_range1(1), NULL,
				       NULL, args, (size_t)n + 2);
	call_stack_title_end(titled);
	return status;
}

dpr_status lapack_launch(const struct lapack_call *call)
{
	dpr_array *info = NULL;
	dpr_kernel *kernel;
	dpr_status status = routines_get(
		call->queue, image_of(call->routine, call->dtype), &kernel);

	if (!status && !kernel)
		return fail(DPR_ERROR_UNSUPPORTED, "%s: %s has no %s",
			    call->what, dpr_queue_name(call->queue),
			    routines[call->routine].name);
	if (!status)
		status = array_new(call->what, DPR_INT32, call->n_batch,
				   call->batch, call->queue, DPR_USM_DEVICE,
				   &info);
	if (!status)
		status = launch(call, kernel, info);
	if (!status)
		status = check_info(call, info);
	if (!status && call->info)
		*call->info = info;
	else
		dpr_array_release(info);
	return status;
}
