/* SPDX-License-Identifier: Apache-2.0 */
/* first.c - the area below a curve, on the default device. */
#include <dpr/dpr.h>

int main(void)
{
	dpr_array *x = NULL, *mean = NULL;
	dpr_status status;
	double value;

	status = dpr_linspace(0, 1, 1000001, DPR_FLOAT32, NULL, &x);
	if (status == DPR_OK)
		status = dpr_evaluate("mean(sqrt(1 - x*x))", NULL, &mean,
				      "x", x);
	if (status == DPR_OK)
		status = dpr_array_item_double(mean, &value);
	if (status == DPR_OK)
		printf("pi is about %.4f\n", 4 * value);
	else
		fprintf(stderr, "first: %s\n", dpr_last_error());
	dpr_array_release(mean);
	dpr_array_release(x);
	return status != DPR_OK;
}
