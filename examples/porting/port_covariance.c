/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port_covariance.c - the covariance of columns, and a function of the
 * program's own for each element, which is read once.
 */
#include <dpr/dpr.h>

enum { POINTS = 5, AXES = 2 };

int main(void)
{
	const float points[POINTS][AXES] = {
		{ 1, 2 }, { 2, 1 }, { 3, 5 }, { 4, 3 }, { 5, 4 }
	};
	dpr_array *x = NULL, *centred = NULL, *turned = NULL, *cov = NULL;
	dpr_array *small = NULL;
	dpr_expression *shrink = NULL;
	dpr_binding names[2];
	dpr_status status;

	if ((status = dpr_array_from_memory(points, DPR_SHAPE(POINTS, AXES),
					    NULL, DPR_FLOAT32, NULL, &x)) ||
	    (status = dpr_evaluate("x - mean(x, axis=0)", NULL, &centred, "x",
				   x)) ||
	    (status = dpr_matrix_transpose(centred, &turned)) ||
	    (status = dpr_evaluate("matmul(t, c) / (n - 1)", NULL, &cov, "t",
				   turned, "c", centred, "n", POINTS)) ||
	    (status = dpr_array_print(cov, stdout)) ||
	    (status = dpr_expression_create(
		     "maximum(c - s, 0) + minimum(c + s, 0)", &shrink)))
		goto out;
	names[0] = (dpr_binding){ "c", DPR_OPERAND(centred) };
	names[1] = (dpr_binding){ "s", DPR_OPERAND(1) };
	if (!(status = dpr_expression_apply(shrink, names, 2, NULL, &small, 1)))
		status = dpr_array_print(small, stdout);
out:
	if (status)
		fprintf(stderr, "port_covariance: %s\n", dpr_last_error());
	dpr_expression_release(shrink);
	dpr_array_release(small);
	dpr_array_release(cov);
	dpr_array_release(turned);
	dpr_array_release(centred);
	dpr_array_release(x);
	return status != DPR_OK;
}
