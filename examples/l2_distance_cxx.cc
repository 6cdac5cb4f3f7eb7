// SPDX-License-Identifier: Apache-2.0
// l2_distance_cxx.cc - the distances of points from one, and the plan, in C++.
#include <dpr/dpr.h>
#define L2 "sqrt(sum((p*k - q)**2, axis=-1))"

int main()
{
	dpr_array *p = nullptr, *q = nullptr, *distance = nullptr;
	dpr_expression *e = nullptr;
	char *plan = nullptr;
	int bad = dpr_ones(DPR_SHAPE(4, 3), DPR_FLOAT32, NULL, &p) ||
		  dpr_arange(0, 3, 1, DPR_FLOAT32, NULL, &q) ||
		  dpr_evaluate(L2, &distance, "p", p, "k", 2.0, "q", q) ||
		  dpr_array_print(distance, stdout) || dpr_expression_create(L2, &e);
	const dpr_binding names[] = { { "p", DPR_OPERAND(p) }, { "k", DPR_OPERAND(2.0) },
				      { "q", DPR_OPERAND(q) } };

	if (bad || dpr_expression_explain(e, names, 3, NULL, &plan) || fputs(plan, stdout) < 0)
		fprintf(stderr, "l2_distance_cxx: %s\n", dpr_last_error());
	for (dpr_array *x : { p, q, distance })
		dpr_array_release(x);
	dpr_expression_release(e);
	dpr_free(plan);
	return plan == nullptr;
}
