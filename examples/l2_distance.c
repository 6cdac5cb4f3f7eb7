/* SPDX-License-Identifier: Apache-2.0 */
/* l2_distance.c - the distances of many points from a point, as an
   expression. */
#include <dpr/dpr.h>

int main(void)
{
	dpr_array *points = NULL, *one = NULL, *distance = NULL;
	dpr_expression *e = NULL;
	char *plan = NULL;

	if (dpr_expression_define("l2(a, b) = sqrt(sum((a - b)**2, axis=-1))") ||
	    dpr_ones(DPR_SHAPE(4, 3), DPR_FLOAT32, NULL, &points) ||
	    dpr_arange(0, 3, 1, DPR_FLOAT32, NULL, &one) ||
	    dpr_evaluate("l2(p*k, q)", &distance, "p", points, "k", 2.0, "q",
			 one) ||
	    dpr_array_print(distance, stdout) ||
	    dpr_expression_create("l2(p, p + 1)", &e) ||
	    dpr_expression_explain(
		    e, &(dpr_binding){ "p", DPR_OPERAND(points) }, 1, NULL,
		    &plan) ||
	    fputs(plan, stdout) < 0)
		fprintf(stderr, "l2_distance: %s\n", dpr_last_error());
	dpr_array_release(distance);
	dpr_array_release(one);
	dpr_array_release(points);
	dpr_expression_release(e);
	dpr_free(plan);
	return plan == NULL;
}
