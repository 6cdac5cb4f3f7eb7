/* SPDX-License-Identifier: Apache-2.0 */
/* unit_faults_spacing.c - linspace, logspace and geomspace with faults. */
#include "tests/support/faults.h"

/* Check that the last of the @n elements of @x, float32, is @last.  Then release
   @x. */
static dpr_status ends(dpr_status status, dpr_array *const *x, int64_t n,
		       float last)
{
	float have[16];

	MADE(status, *x);
	if (!status)
		status = dpr_array_to_memory(*x, have, sizeof(have), NULL);
	if (!status) {
		ck_assert_int_eq(dpr_array_size(*x), n);
		ck_assert_msg(have[n - 1] == last, "%g", (double)have[n - 1]);
	}
	dpr_array_release(*x);
	return status;
}

static dpr_status try_linspace(void)
{
	dpr_array *x;
	dpr_status status = dpr_linspace(0, 9, 10, DPR_FLOAT32, q1, &x);

	status = ends(status, &x, 10, 9);
	if (status)
		return status;
	status = dpr_linspace_on(0, 10, 10, false, DPR_FLOAT32, q1,
				 DPR_USM_HOST, &x);
	return ends(status, &x, 10, 9);
}

static dpr_status try_complex_linspace(void)
{
	dpr_array *x;
	dpr_status status = dpr_linspace(0, dpr_operand_complex_parts(1, 2), 9,
					 DPR_COMPLEX64, q1, &x);

	MADE(status, x);
	dpr_array_release(x);
	return status;
}

static dpr_status try_logspace(void)
{
	dpr_array *x;
	dpr_status status = dpr_logspace(0, 3, 4, 2, DPR_FLOAT32, q1, &x);

	status = ends(status, &x, 4, 8);
	if (status)
		return status;
	status = dpr_logspace_on(0, 4, 4, false, 2, DPR_FLOAT32, q1,
				 DPR_USM_HOST, &x);
	return ends(status, &x, 4, 8);
}

static dpr_status try_geomspace(void)
{
	dpr_array *x;
	dpr_status status = dpr_geomspace(-1, -8, 4, DPR_FLOAT32, q1, &x);

	status = ends(status, &x, 4, -8);
	if (status)
		return status;
	status = dpr_geomspace_on(1, 1000, 3, false, DPR_FLOAT32, q1,
				  DPR_USM_HOST, &x);
	return ends(status, &x, 3, 100);
}

static const struct attempt list[] = {
	{ "linspace", try_linspace },
	{ "complex linspace", try_complex_linspace },
	{ "logspace", try_logspace },
	{ "geomspace", try_geomspace },
};

int main(void)
{
	return run_faults(list, sizeof(list) / sizeof(*list), NULL);
}
