/* SPDX-License-Identifier: Apache-2.0 */
/* hello.c - an array expression on the default device. */
#include <dpr/dpr.h>

int main(void)
{
	dpr_array *x = NULL, *y = NULL, *total = NULL;
	dpr_status status;

	/* NULL: the default device's queue.  An operand may be a number. */
	if ((status = dpr_linspace(0, 1, 1000000, DPR_FLOAT32, NULL, &x)) ||
	    (status = dpr_multiply(x, 4, &y)) ||
	    (status = dpr_sum(y, NULL, &total)) ||
	    (status = dpr_array_print(total, stdout)))
		fprintf(stderr, "hello: %s\n", dpr_last_error());
	dpr_array_release(total);
	dpr_array_release(y);
	dpr_array_release(x);
	return status != DPR_OK;
}
