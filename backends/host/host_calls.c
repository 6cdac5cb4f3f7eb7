/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_calls.c - routines of libraries as kernels (DPRP_CALLS_FORMAT).
 *
 * A routine is a native kernel with one argument more than its launches have:
 * the struct host_task, which comes first.
 */
#include "host.h"

#include <string.h>

static const char *const dtypes[HOST_DTYPES] = { "float32", "float64",
						 "complex64", "complex128" };

/* Whether the text is a name, a space and a dtype. */
static bool is_named(const dprp_image *image, const char *name,
		     const char *dtype)
{
	const size_t n = strlen(name), more = strlen(dtype);
	const char *text = image->data;

	return image->size == n + 1 + more && !memcmp(text, name, n) &&
	       text[n] == ' ' && !memcmp(text + n + 1, dtype, more);
}

/* Find the routine and the dtype that @image names. */
static bool find_named(const dprp_image *image, struct host_call *out)
{
	for (size_t i = 0; i <= HOST_LAPACK_ROUTINES; i++) {
		const struct host_routine *r =
			i < HOST_LAPACK_ROUTINES
				? host_lapack_routine((unsigned)i)
				: &host_blas_gemm;

		for (int t = 0; t < HOST_DTYPES; t++)
			if (is_named(image, r->module->kernels->name,
				     dtypes[t])) {
				*out = (struct host_call){ .routine = r,
							   .dtype = t };
				return true;
			}
	}
	return false;
}

dprp_rc host_calls_find(dprp_device *device, const dprp_image *image,
			struct host_call *out)
{
	dprp_instance *instance = device->instance;
	struct host_call call;
	dprp_rc rc;

	if (!find_named(image, &call))
		return dprh_fail(&instance->host, DPR_RC_UNSUPPORTED, 0,
				 "host: there is no routine \"%.*s\"",
				 image->size < 40 ? (int)image->size : 40,
				 (const char *)image->data);
	rc = call.routine->get(instance, &call);
	if (rc)
		return rc;
	if ((int64_t)device->units < call.library->threads)
		call.threads = (int)device->units;
	*out = call;
	return DPR_RC_OK;
}

dprp_rc host_calls_plan(dprp_queue *queue, const struct host_call *call,
			const dprp_launch *launch, struct host_plan *out)
{
	const uint64_t most = 4 * (uint64_t)queue->team->n;
	dprp_rc rc;

	*out = (struct host_plan){ .parts = 1 };
	rc = call->routine->plan(queue->instance, call, launch, out);
	if (out->parts > most)
		out->parts = most;
	return rc;
}

/* The bytes of the task and its list of arguments. */
static size_t task_size(const dprp_launch *launch)
{
	return dprh_round_up(sizeof(struct host_task) +
				     (launch->n_args + 1) * sizeof(void *),
			     DPRH_ALIGN);
}

size_t host_calls_size(const dprp_launch *launch, const struct host_plan *plan)
{
	return task_size(launch) + (size_t)plan->parts * plan->part;
}

void host_calls_init(const struct host_call *call, const dprp_launch *launch,
		     const struct host_plan *plan, void *memory,
		     struct dprh_native_launch *out)
{
	struct host_task *task = memory;
	const void **list = (const void **)(task + 1);

	*task = (struct host_task){ .call = *call,
				    .plan = *plan,
				    .workspace = (unsigned char *)memory +
						 task_size(launch) };
	list[0] = task;
	memcpy(list + 1, out->args, launch->n_args * sizeof(*list));
	out->args = list;
	out->range =
		(struct dprh_range){ { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } };
	out->range.groups[0] = out->range.global[0] = plan->parts;
}
