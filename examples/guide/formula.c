/* SPDX-License-Identifier: Apache-2.0 */

/* formula.c - expressions as text: arrays, numbers, views and mistakes. */
#include <dpr/dpr.h>

/* The spread of x, and a step of smoothing, each as one line of text. */
static dpr_status compute(const dpr_array *x, dpr_array *inside)
{
	dpr_array *spread = NULL;
	dpr_status status;

	/* guide: evaluate */
	status = dpr_evaluate("sqrt(sum((x - mean(x))**2) / (n - 1))", NULL,
			      &spread, "x", x, "n", 9);
	if (!status)
		status = dpr_array_print(spread, stdout);
	/* guide: end */
	dpr_array_release(spread);
	if (status)
		return status;
	/* guide: into */
	return dpr_evaluate_into("(x[:-2] + 2*x[1:-1] + x[2:]) / 4", inside,
				 "x", x);
	/* guide: end */
}

/* guide: mistake */
static void show_mistake(const dpr_array *x)
{
	dpr_array *out = NULL;

	if (dpr_evaluate("sqrt(x) + tahn(x)", NULL, &out, "x", x)) {
		const dpr_text_place place = dpr_expression_fault();

		printf("%s\n", dpr_last_error());
		printf("column %zu, %zu characters; meant: %s\n", place.column,
		       place.length, dpr_expression_nearest());
	}
	dpr_array_release(out);
}
/* guide: end */

int main(void)
{
	const float values[] = { 0, 0, 0, 0, 8, 0, 0, 0, 0 };
	dpr_array *x = NULL, *smooth = NULL, *inside = NULL;
	dpr_status status;

	if ((status = dpr_array_from_memory(values, DPR_SHAPE(9), NULL,
					    DPR_FLOAT32, NULL, &x)) ||
	    (status = dpr_copy(x, &smooth)) ||
	    (status = dpr_array_view(smooth, &inside, DPR_SLICE(1, -1, 1))) ||
	    (status = compute(x, inside)) ||
	    (status = dpr_array_print(smooth, stdout)))
		fprintf(stderr, "formula: %s\n", dpr_last_error());
	else
		show_mistake(x);
	dpr_array_release(inside);
	dpr_array_release(smooth);
	dpr_array_release(x);
	return status != DPR_OK;
}
