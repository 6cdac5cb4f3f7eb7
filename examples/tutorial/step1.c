/* SPDX-License-Identifier: Apache-2.0 */

/* step1.c - temperatures along the edge of a plate, and their sum. */
#include <dpr/dpr.h>

int main(void)
{
	dpr_array *edge, *sum;

	if (dpr_linspace(100, 0, 65, DPR_FLOAT32, NULL, &edge) ||
	    dpr_sum(edge, NULL, &sum) || dpr_array_print(sum, stdout)) {
		fprintf(stderr, "step1: %s\n", dpr_last_error());
		return 1;
	}
	dpr_array_release(sum);
	dpr_array_release(edge);
	return 0;
}
