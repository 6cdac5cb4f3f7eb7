/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cold_exit.c - a small program that releases everything and ends at once,
 * while the driver may still be compiling.  cold-exit.sh runs it with empty
 * caches.
 *
 * With the argument "linger", an exit handler sleeps after the driver has
 * destroyed its objects.  That gives a compiler or a kernel that is still
 * running the time to crash.  With the argument "arrays", the program has no
 * kernel of its own, and its array functions take longer than its end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dpr/dpr.h>

#define N 1000
#define LARGE (1 << 20)

static const char source[] =
	"kernel void grow(global float *x, int n)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"\n"
	"	if (i < n)\n"
	"		x[i] = sin(x[i]) + pow(x[i], 1.5f);\n"
	"}\n";

static void linger(void)
{
	const struct timespec time = { .tv_nsec = 300000000 };

	nanosleep(&time, NULL);
}

/* Submit a kernel of the program's own and one of the library's, and wait for
   neither. */
static dpr_status work(dpr_queue *queue)
{
	dpr_array *x = NULL, *y = NULL;
	dpr_kernel *kernel = NULL;
	dpr_status status;

	status = dpr_ones(DPR_SHAPE(N), DPR_FLOAT32, queue, &x);
	if (!status)
		status = dpr_kernel_from_source(queue, source, "grow", &kernel);
	if (!status)
		status = dpr_kernel_launch(queue, kernel, DPR_RANGE1(N), NULL,
					   NULL, DPR_ARG(x), DPR_ARG(N));
	if (!status)
		status = dpr_add(x, 1, &y);
	dpr_kernel_release(kernel);
	dpr_array_release(y);
	dpr_array_release(x);
	return status;
}

/* Submit array functions of large arrays, and wait for none. */
static dpr_status compute(dpr_queue *queue)
{
	dpr_array *x = NULL, *y = NULL;
	dpr_status status;
	int i;

	status = dpr_full(DPR_SHAPE(LARGE), 0.5, DPR_FLOAT32, queue, &x);
	for (i = 0; i < 20 && !status; i++) {
		status = dpr_evaluate("sin(x) / sum(exp(x))", NULL, &y, "x", x);
		dpr_array_release(x);
		x = y;
		y = NULL;
	}
	dpr_array_release(x);
	return status;
}

static int has(int argc, char **argv, const char *word)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], word))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	dpr_queue *queue;
	dpr_status status;

	if (has(argc, argv, "linger"))
		atexit(linger);
	status = dpr_canonical_queue("opencl", &queue);
	if (status == DPR_ERROR_NOT_FOUND) {
		printf("needs an OpenCL device: %s\n", dpr_last_error());
		return 77;
	}
	if (!status)
		status = has(argc, argv, "arrays") ? compute(queue)
						   : work(queue);
	if (!status)
		return 0;
	printf("%s\n", dpr_last_error());
	return 1;
}
