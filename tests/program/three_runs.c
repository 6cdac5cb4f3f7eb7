/* SPDX-License-Identifier: Apache-2.0 */
/*
 * three_runs.c - a program with array functions and a kernel of its own, on the
 * device that it is given.  It prints how many programs the driver has built.
 * three-runs.sh runs it three times.
 */
#include <stdio.h>
#include <stdlib.h>

#include <dpr/dpr.h>

static const char source[] = "kernel void twice(global float *x)\n"
			     "{\n"
			     "	x[get_global_id(0)] *= 2;\n"
			     "}\n";

static const char *const of_one[] = {
	"x * 3",   "sin(x)", "sum(x)", "max(x) - x", "exp(x) / sum(exp(x))",
	"mean(x)", "x < 1",  "-x",
};
static const char *const of_two[] = {
	"x + y",     "sqrt(x*x + y*y)", "where(x > y, x, y)",
	"mean(x*y)", "minimum(x, y)",
};

/* The first failure ends the program. */
static void must(dpr_status status)
{
	if (!status)
		return;
	fprintf(stderr, "%s\n", dpr_last_error());
	exit(1);
}

static void run_own(dpr_queue *queue, dpr_array *x)
{
	dpr_kernel *kernel = NULL;
	dpr_status status =
		dpr_kernel_from_source(queue, source, "twice", &kernel);

	/* Not every device has a compiler. */
	if (status == DPR_ERROR_UNSUPPORTED)
		return;
	must(status);
	must(dpr_kernel_launch(queue, kernel, DPR_RANGE1(256), NULL, NULL,
			       DPR_ARG(x)));
	dpr_kernel_release(kernel);
}

int main(int argc, char **argv)
{
	dpr_array *x, *y, *z = NULL;
	dpr_cache_report *report;
	dpr_queue *queue;
	dpr_status status;
	size_t i;

	status = dpr_canonical_queue(argc > 1 ? argv[1] : "host", &queue);
	if (status == DPR_ERROR_NOT_FOUND)
		return 77;
	must(status);
	must(dpr_full(DPR_SHAPE(256), 0.25, DPR_FLOAT32, queue, &x));
	must(dpr_full(DPR_SHAPE(256), 0.5, DPR_FLOAT32, queue, &y));
	for (i = 0; i < sizeof(of_one) / sizeof(of_one[0]); i++) {
		must(dpr_evaluate(of_one[i], NULL, &z, "x", x));
		dpr_array_release(z);
	}
	for (i = 0; i < sizeof(of_two) / sizeof(of_two[0]); i++) {
		must(dpr_evaluate(of_two[i], NULL, &z, "x", x, "y", y));
		dpr_array_release(z);
	}
	run_own(queue, x);
	must(dpr_queue_wait(queue));
	dpr_array_release(y);
	dpr_array_release(x);
	must(dpr_cache_stats(&report));
	printf("%llu\n", (unsigned long long)report->builds);
	dpr_free(report);
	return 0;
}
