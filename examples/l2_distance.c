/* SPDX-License-Identifier: Apache-2.0 */
/* l2_distance.c - distances of points from one, by a function of the program. */
#include <dpr/dpr.h>

int main(void)
{
	dpr_array *p = NULL, *q = NULL, *once = NULL, *distance = NULL;
	dpr_expression *e = NULL;
	char *plan = NULL;
	int bad = dpr_expression_define("l2(a, b) = sqrt(sum((a - b)**2, axis=-1))") ||
		  dpr_ones(DPR_SHAPE(4, 3), DPR_FLOAT32, NULL, &p) ||
		  dpr_arange(0, 3, 1, DPR_FLOAT32, NULL, &q) ||
		  dpr_evaluate("l2(p*2, q)", NULL, &once, "p", p, "q", q) ||
		  dpr_expression_create("l2(p*2, q)", &e);
	const dpr_binding names[] = { { "p", DPR_OPERAND(p) }, { "q", DPR_OPERAND(q) } };

	if (bad || dpr_expression_apply(e, names, 2, NULL, &distance, 1) ||
	    dpr_array_print(once, stdout) || dpr_array_print(distance, stdout) ||
	    dpr_expression_explain(e, names, 2, NULL, &plan) || fputs(plan, stdout) < 0)
		fprintf(stderr, "l2_distance: %s\n", dpr_last_error());
	dpr_array_release(distance);
	dpr_array_release(once);
	dpr_array_release(q);
	dpr_array_release(p);
	dpr_expression_release(e);
	dpr_free(plan);
	return plan == NULL;
}
