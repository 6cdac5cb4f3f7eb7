/* SPDX-License-Identifier: Apache-2.0 */
/* library_calls.c - routines of libraries as kernels (DPRP_CALLS_FORMAT). */
#include "backends/library/library.h"

#include <string.h>

static const char *const dtypes[LIBRARY_DTYPES] = { "float32", "float64",
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
static bool find_named(const dprp_image *image, struct library_call *out)
{
	for (size_t i = 0; i <= LIBRARY_LAPACK_ROUTINES; i++) {
		const struct library_routine *r =
			i < LIBRARY_LAPACK_ROUTINES
				? library_lapack_routine((unsigned)i)
				: &library_blas_gemm;

		for (int t = 0; t < LIBRARY_DTYPES; t++)
			if (is_named(image, r->module->kernels->name,
				     dtypes[t])) {
				*out = (struct library_call){ .routine = r,
							      .dtype = t };
				return true;
			}
	}
	return false;
}

void library_calls_set(struct library_set *set, const dprp_host *host,
		       const char *owner, const char *prefix)
{
	*set = (struct library_set){
		.host = host,
		.owner = owner,
		.prefix = prefix,
		.blas_option = host->option(host->self, "BLAS"),
		.lapack_option = host->option(host->self, "LAPACK"),
	};
	pthread_mutex_init(&set->blas_lock, NULL);
	pthread_mutex_init(&set->lapack_lock, NULL);
	pthread_mutex_init(&set->alone.lock, NULL);
	set->blas.library.alone = set->lapack.library.alone = &set->alone;
}

void library_calls_unset(struct library_set *set)
{
	pthread_mutex_destroy(&set->alone.lock);
	pthread_mutex_destroy(&set->lapack_lock);
	pthread_mutex_destroy(&set->blas_lock);
}

bool library_calls_are_none(const struct library_set *set)
{
	return library_is_none(set->blas_option) &&
	       library_is_none(set->lapack_option);
}

dprp_rc library_calls_find(struct library_set *set, const dprp_image *image,
			   uint32_t units, struct library_call *out)
{
	struct library_call call;
	dprp_rc rc;

	if (!find_named(image, &call))
		return dprh_fail(set->host, DPR_RC_UNSUPPORTED, 0,
				 "%sthere is no routine \"%.*s\"", set->owner,
				 image->size < 40 ? (int)image->size : 40,
				 (const char *)image->data);
	rc = call.routine->get(set, &call);
	if (rc)
		return rc;
	if ((int64_t)units < call.library->threads)
		call.threads = (int)units;
	*out = call;
	return DPR_RC_OK;
}

dprp_rc library_calls_plan(const struct library_set *set,
			   const struct library_call *call,
			   const dprp_launch *launch, uint32_t members,
			   struct library_plan *out)
{
	const uint64_t most = 4 * (uint64_t)members;
	dprp_rc rc;

	*out = (struct library_plan){ .parts = 1 };
	rc = call->routine->plan(set, call, launch, out);
	if (out->parts > most)
		out->parts = most;
	return rc;
}

size_t library_calls_size(const dprp_launch *launch)
{
	return dprh_round_up(sizeof(struct library_task) +
				     (launch->n_args + 1) * sizeof(void *),
			     DPRH_ALIGN);
}

size_t library_calls_workspace(const struct library_plan *plan)
{
	return (size_t)plan->parts * plan->part;
}

void library_calls_init(const struct library_call *call,
			const dprp_launch *launch,
			const struct library_plan *plan, void *memory,
			void *workspace, struct dprh_native_launch *out)
{
	struct library_task *task = memory;
	const void **list = (const void **)(task + 1);

	*task = (struct library_task){ .call = *call,
				       .plan = *plan,
				       .workspace = workspace };
	list[0] = task;
	memcpy(list + 1, out->args, launch->n_args * sizeof(*list));
	out->args = list;
	out->range =
		(struct dprh_range){ { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } };
	out->range.groups[0] = out->range.global[0] = plan->parts;
}
