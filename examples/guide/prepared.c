/* SPDX-License-Identifier: Apache-2.0 */

/* prepared.c - an expression that is read once, with two results, explained. */
#include <dpr/dpr.h>

/* guide: text */
static const char text[] = "d = x - mean(x, axis=1, keepdims=True);"
			   "d / sqrt(mean(d*d, axis=1, keepdims=True)),"
			   "max(abs(d))";
/* guide: end */

/* guide: apply */
static dpr_status standardise(const dpr_expression *rows, const dpr_array *x)
{
	const dpr_binding bindings[] = { { "x", DPR_OPERAND(x) } };
	dpr_array *result[2] = { NULL, NULL };
	dpr_status status = dpr_expression_apply(rows, bindings, 1, NULL,
						 result, 2);

	if (!status)
		status = dpr_array_print(result[0], stdout);
	if (!status)
		status = dpr_array_print(result[1], stdout);
	dpr_array_release(result[0]);
	dpr_array_release(result[1]);
	return status;
}
/* guide: end */

/* guide: explain */
static dpr_status explain(const dpr_expression *rows, const dpr_array *x)
{
	const dpr_binding bindings[] = { { "x", DPR_OPERAND(x) } };
	char *lines = NULL;
	dpr_status status =
		dpr_expression_explain(rows, bindings, 1, NULL, &lines);

	if (!status)
		fputs(lines, stdout);
	dpr_free(lines);
	return status;
}
/* guide: end */

int main(int argc, char **argv)
{
	const float values[2][4] = { { 1, 1, 3, 3 }, { 0, 0, 0, 4 } };
	dpr_expression *rows = NULL;
	dpr_array *x = NULL, *y = NULL;
	dpr_status status;

	(void)argv;
	/* guide: read */
	if ((status = dpr_expression_create(text, &rows)))
		goto out;
	/* guide: end */
	if ((status = dpr_array_from_memory(values, DPR_SHAPE(2, 4), NULL,
					    DPR_FLOAT32, NULL, &x)) ||
	    (status = dpr_add(x, 10, &y)))
		goto out;
	if (argc > 1) /* any argument */
		status = explain(rows, x);
	else if (!(status = standardise(rows, x)))
		status = standardise(rows, y);
out:
	if (status)
		fprintf(stderr, "prepared: %s\n", dpr_last_error());
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_expression_release(rows);
	return status != DPR_OK;
}
