/* SPDX-License-Identifier: Apache-2.0 */
/* black_scholes.c - prices of call options. */
#include <dpr/dpr.h>
#define CDF "cdf(x) = erfc(-x / sqrt(2)) / 2"
#define PRICE "r = 0.05; v = 0.2; d = (log(s/k) + (r + v*v/2)*t) / (v*sqrt(t)); " \
	"s*cdf(d) - k*exp(-r*t)*cdf(d - v*sqrt(t))"

int main(void)
{
	dpr_array *s = NULL, *prices = NULL;
	dpr_expression *e = NULL;
	char *plan = NULL;
	int bad = dpr_linspace(80, 120, 9, DPR_FLOAT32, NULL, &s) || dpr_expression_define(CDF) ||
		  dpr_expression_create(PRICE, &e);
	const dpr_binding names[] = { { "s", DPR_OPERAND(s) }, { "k", DPR_OPERAND(100) },
				      { "t", DPR_OPERAND(1) } };

	if (bad || dpr_expression_apply(e, names, 3, NULL, &prices, 1) ||
	    dpr_array_print(prices, stdout) ||
	    dpr_expression_explain(e, names, 3, NULL, &plan) || fputs(plan, stdout) < 0)
		fprintf(stderr, "black_scholes: %s\n", dpr_last_error());
	dpr_array_release(prices);
	dpr_array_release(s);
	dpr_expression_release(e);
	dpr_free(plan);
	return plan == NULL;
}
