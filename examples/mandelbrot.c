/* SPDX-License-Identifier: Apache-2.0 */
/* mandelbrot.c - the Mandelbrot set: one kernel with two results, many times. */
#include <dpr/dpr.h>
#define C "astype(index(1, n)/21 - 2.2 + 1j*(index(0, n)/10 - 1.2), complex64)"

int main(void)
{
	dpr_array *zn[] = { NULL, NULL }, *c = NULL;
	dpr_expression *turn = NULL;
	char *plan = NULL;
	int32_t n[25][64];
	int bad = dpr_zeros(DPR_SHAPE(25, 64), DPR_INT32, NULL, &zn[1]) ||
		  dpr_evaluate(C, NULL, &c, "n", zn[1]) ||
		  dpr_zeros_like(c, DPR_DTYPE_DEFAULT, &zn[0]) ||
		  dpr_expression_create("z*z + c, n + (abs(z) < 2)", &turn);
	const dpr_binding names[] = { { "z", DPR_OPERAND(zn[0]) }, { "n", DPR_OPERAND(zn[1]) },
				      { "c", DPR_OPERAND(c) } };

	for (int i = 0; i < 50 && !bad; i++)
		bad = dpr_expression_apply_into(turn, names, 3, zn, 2);
	if (bad || dpr_array_to_memory(zn[1], n, sizeof(n), NULL) ||
	    dpr_expression_explain(turn, names, 3, NULL, &plan) || fputs(plan, stdout) < 0)
		fprintf(stderr, "mandelbrot: %s\n", dpr_last_error());
	for (int i = 0; plan && i < 25 * 65; i++)
		putchar(i % 65 == 64 ? '\n' : " .:-=+*%#@"[n[i / 65][i % 65] / 6]);
	dpr_array_release(zn[0]), dpr_array_release(zn[1]), dpr_array_release(c);
	dpr_expression_release(turn), dpr_free(plan);
	return plan == NULL;
}
