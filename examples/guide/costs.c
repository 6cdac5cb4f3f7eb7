/* SPDX-License-Identifier: Apache-2.0 */

/* costs.c - what costs how much: the first call, small and large arrays, steps in
   one kernel and in several, copies to and from the host, strides, float64. */
#include <dpr/dpr.h>

#include <time.h>

enum { SMALL = 16, LARGE = 1 << 22, TURNS = 11, MANY = 100 };

/* guide: clock */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3; /* us */
}
/* guide: end */

/* guide: measure */
/* The shortest of some turns, in us: @count times @text into @out, and a wait. */
static dpr_status measure(const char *text, const dpr_array *x,
			  const dpr_array *y, dpr_array *out, int count,
			  double *best)
{
	const dpr_binding bindings[] = { { "x", DPR_OPERAND(x) },
					 { "y", DPR_OPERAND(y) } };
	dpr_expression *e = NULL;
	dpr_status status = dpr_expression_create(text, &e);

	*best = 1e30;
	for (int turn = 0; turn < TURNS && !status; turn++) {
		const double start = now();
		double took;

		for (int i = 0; i < count && !status; i++)
			status = dpr_expression_apply_into(e, bindings, 2,
							   &out, 1);
		if (!status)
			status = dpr_queue_wait(dpr_array_queue(out));
		took = (now() - start) / count;
		if (took < *best)
			*best = took;
	}
	dpr_expression_release(e);
	return status;
}
/* guide: end */

static dpr_status report(const char *what, const char *text, dpr_array *const *a,
			 int count)
{
	double best;
	dpr_status status = measure(text, a[0], a[1], a[2], count, &best);

	if (!status)
		printf("%-34s %10.1f us\n", what, best);
	return status;
}

/* Arrays of n x n numbers: two operands and a result. */
static dpr_status make(int64_t size, dpr_dtype dtype, dpr_array **a)
{
	int64_t n = 1;
	dpr_status status = DPR_OK;

	while (n * n < size)
		n *= 2;
	for (int k = 0; k < 3 && !status; k++)
		status = dpr_full(DPR_SHAPE(n, n), k + 0.5, dtype, NULL, &a[k]);
	return status;
}

static void drop(dpr_array **a)
{
	for (int k = 0; k < 3; k++)
		dpr_array_release(a[k]);
}

/* guide: first */
static dpr_status first_call(dpr_array *const *a)
{
	dpr_status status = dpr_queue_wait(dpr_array_queue(a[0]));
	const double start = now();

	if (!status)
		status = dpr_evaluate_into("x + y", a[2], "x", a[0], "y", a[1]);
	if (!status)
		status = dpr_array_wait(a[2]);
	printf("%-34s %10.1f us\n", "the first sum of 16", now() - start);
	return status;
}
/* guide: end */

static dpr_status copies(dpr_array *const *a)
{
	static float host[LARGE];
	double start = now();
	dpr_status status = dpr_array_to_memory(a[0], host, sizeof(host), NULL);

	printf("%-34s %10.1f us\n", "4M floats to host memory", now() - start);
	start = now();
	if (!status)
		status = dpr_array_set_memory(a[0], host, NULL);
	printf("%-34s %10.1f us\n", "4M floats from host memory",
	       now() - start);
	return status;
}

int main(void)
{
	dpr_array *small[3] = { NULL }, *large[3] = { NULL };
	dpr_array *wide[3] = { NULL };
	dpr_status status;

	if ((status = make(SMALL, DPR_FLOAT32, small)) ||
	    (status = make(LARGE, DPR_FLOAT32, large)) ||
	    (status = make(LARGE, DPR_FLOAT64, wide)) ||
	    (status = first_call(small)) ||
	    /* guide: rows */
	    (status = report("a sum of 16, waited for", "x + y", small, 1)) ||
	    (status = report("a sum of 16, one of 100", "x + y", small, MANY)) ||
	    (status = report("a sum of 4M", "x + y", large, 1)) ||
	    (status = report("five steps of 4M, one kernel",
			     "sqrt(x*x + y*y) + 1", large, 1)) ||
	    (status = report("the transpose in the sum",
			     "matrix_transpose(x) + y", large, 1)) ||
	    (status = report("a sum of 4M in float64", "x + y", wide, 1)) ||
	    /* guide: end */
	    (status = copies(large)))
		fprintf(stderr, "costs: %s\n", dpr_last_error());
	drop(small);
	drop(large);
	drop(wide);
	return status != DPR_OK;
}
