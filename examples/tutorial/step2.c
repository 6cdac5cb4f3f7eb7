/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step2.c - errors and release: each call is checked, and each object is
 * released, after success and after any failure.
 *
 * usage: step2 [POINTS]
 */
#include <dpr/dpr.h>

#include <stdlib.h>

/* guide: mean */
/* Get the mean temperature at @points of an edge, which goes from 100 to 0. */
static dpr_status edge_mean(int64_t points, double *out)
{
	dpr_array *edge = NULL, *mean = NULL;
	dpr_status status;

	if ((status = dpr_linspace(100, 0, points, DPR_FLOAT32, NULL, &edge)) ||
	    (status = dpr_mean(edge, NULL, &mean)))
		goto out;
	status = dpr_array_item_double(mean, out);
out:
	dpr_array_release(mean);
	dpr_array_release(edge);
	return status;
}
/* guide: end */

/* guide: main */
int main(int argc, char **argv)
{
	const int64_t points = argc < 2 ? 65 : strtoll(argv[1], NULL, 10);
	double mean = 0;

	if (edge_mean(points, &mean) || dpr_finalize()) {
		fprintf(stderr, "step2: %s\n", dpr_last_error());
		return 1;
	}
	printf("%d points, %.1f degrees on average\n", (int)points, mean);
	return 0;
}
/* guide: end */
