/* SPDX-License-Identifier: Apache-2.0 */
/* fake_clblast.c - a library with the entries of CLBlast that the OpenCL
   backend uses (see fake_clblast.h). */
#include "tests/opencl/calls/fake_clblast.h"

#include <complex.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/calls/ocl_clblast.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT struct fake_clblast fake_clblast;

#define ENTRY(name, parameters) EXPORT int name parameters;
OCL_CLBLAST_ENTRIES(ENTRY)
#undef ENTRY

enum { /* statuses of CLBlast */
       INVALID_DIMENSION = -1017,
       INVALID_LEADING = -1016,
       SMALL_A = -1011,
       SMALL_B = -1010,
       SMALL_C = -1009,
       INVALID_VALUE = -30
};

/* Entries of the ICD loader. */
static struct {
	__typeof__(&clEnqueueReadBuffer) read;
	__typeof__(&clEnqueueWriteBuffer) write;
	__typeof__(&clEnqueueMarkerWithWaitList) marker;
	__typeof__(&clGetMemObjectInfo) info;
} cl;

static bool find_loader(void)
{
	void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD);

	*(void **)&cl.read = dlsym(library, "clEnqueueReadBuffer");
	*(void **)&cl.write = dlsym(library, "clEnqueueWriteBuffer");
	*(void **)&cl.marker = dlsym(library, "clEnqueueMarkerWithWaitList");
	*(void **)&cl.info = dlsym(library, "clGetMemObjectInfo");
	return cl.read && cl.write && cl.marker && cl.info;
}

/* Count a misuse.  Returns @status. */
static int misuse(int status, const char *text)
{
	atomic_fetch_add(&fake_clblast.faults, 1);
	fake_clblast.fault = text;
	return status;
}

/* A matrix of a call: `rows` times `inner` elements, and its bytes from the
   beginning of the buffer. */
struct matrix {
	cl_mem cl;
	size_t at, rows, inner, leading;
	bool transposed;
	char *bytes;
};

/* A call. */
struct call {
	bool is_complex, is_double;
	size_t m, n, k;
	struct matrix a, b, c;
	cl_command_queue queue;
	cl_event *event;
};

static size_t item_of(const struct call *x)
{
	return (x->is_double ? 8u : 4u) << x->is_complex;
}

static double complex get(const struct call *x, const struct matrix *of,
			  size_t i)
{
	const char *at = of->bytes + i * item_of(x);
	double d[2] = { 0 };
	float f[2] = { 0 };

	if (x->is_double) {
		memcpy(d, at, item_of(x));
		return d[0] + d[1] * I;
	}
	memcpy(f, at, item_of(x));
	return f[0] + f[1] * I;
}

static void put(const struct call *x, const struct matrix *of, size_t i,
		double complex z)
{
	const double d[2] = { creal(z), cimag(z) };
	const float f[2] = { (float)d[0], (float)d[1] };

	memcpy(of->bytes + i * item_of(x),
	       x->is_double ? (const void *)d : (const void *)f, item_of(x));
}

/* The place of element (i, j). */
static size_t place(const struct matrix *of, size_t i, size_t j)
{
	return of->at +
	       (of->transposed ? j * of->leading + i : i * of->leading + j);
}

/* Get the bytes of a matrix.  Returns @small if the buffer has less. */
static int load(const struct call *x, struct matrix *of, int small)
{
	size_t has = 0, size;

	if (of->leading < of->inner)
		return misuse(INVALID_LEADING, "a small leading dimension");
	size = (of->at + (of->rows - 1) * of->leading + of->inner) * item_of(x);
	if (cl.info(of->cl, CL_MEM_SIZE, sizeof(has), &has, NULL) || has < size)
		return small;
	of->bytes = malloc(size);
	return of->bytes ? cl.read(x->queue, of->cl, CL_TRUE, 0, size,
				   of->bytes, 0, NULL, NULL)
			 : CL_OUT_OF_HOST_MEMORY;
}

static void multiply(const struct call *x)
{
	for (size_t i = 0; i < x->m; i++)
		for (size_t j = 0; j < x->n; j++) {
			double complex sum = 0;

			for (size_t p = 0; p < x->k; p++)
				sum += get(x, &x->a, place(&x->a, i, p)) *
				       get(x, &x->b, place(&x->b, p, j));
			put(x, &x->c, place(&x->c, i, j), sum);
		}
}

/* Write the rows of c, one by one. */
static int store(const struct call *x)
{
	const size_t item = item_of(x);
	int status = 0;

	for (size_t i = 0; i < x->m && !status; i++) {
		const size_t at = place(&x->c, i, 0) * item;

		status = cl.write(x->queue, x->c.cl, CL_TRUE, at, x->n * item,
				  x->c.bytes + at, 0, NULL, NULL);
	}
	return status;
}

static int compute(struct call *x)
{
	int status = load(x, &x->a, SMALL_A);

	if (!status)
		status = load(x, &x->b, SMALL_B);
	if (!status)
		status = load(x, &x->c, SMALL_C);
	if (!status) {
		multiply(x);
		status = store(x);
	}
	if (!status && x->event)
		status = cl.marker(x->queue, 0, NULL, x->event);
	free(x->a.bytes);
	free(x->b.bytes);
	free(x->c.bytes);
	return status;
}

/* Run a call.  @factors: alpha is 1, and beta 0. */
static int run(struct call *x, int layout, int op_a, int op_b, bool factors)
{
	static atomic_int busy;
	int status = 0;

	atomic_fetch_add(&fake_clblast.products, 1);
	if (fake_clblast.after && atomic_fetch_sub(&fake_clblast.after, 1) == 1)
		return fake_clblast.result;
	if (layout != 101 || (op_a != 111 && op_a != 112) ||
	    (op_b != 111 && op_b != 112) || !factors)
		return misuse(INVALID_VALUE, "a wrong constant");
	if (!x->m || !x->n || !x->k || !find_loader())
		return misuse(INVALID_DIMENSION, "an extent of 0");
	x->a.transposed = op_a == 112;
	x->a.rows = x->a.transposed ? x->k : x->m;
	x->a.inner = x->a.transposed ? x->m : x->k;
	x->b.transposed = op_b == 112;
	x->b.rows = x->b.transposed ? x->n : x->k;
	x->b.inner = x->b.transposed ? x->k : x->n;
	x->c.rows = x->m;
	x->c.inner = x->n;
	if (atomic_fetch_add(&busy, 1))
		status = misuse(INVALID_VALUE, "two threads at a time");
	if (!status)
		status = compute(x);
	atomic_fetch_sub(&busy, 1);
	return status;
}

#define REAL(alpha, beta) (alpha == 1 && beta == 0)
#define COMPLEX(alpha, beta) \
	(alpha.s[0] == 1 && alpha.s[1] == 0 && beta.s[0] == 0 && beta.s[1] == 0)

#define ENTRIES(name, F, complexity, precision, FACTORS)                      \
	int CLBlast##name(int layout, int op_a, int op_b, size_t m, size_t n, \
			  size_t k, F alpha, cl_mem a, size_t a_at,           \
			  size_t lda, cl_mem b, size_t b_at, size_t ldb,      \
			  F beta, cl_mem c, size_t c_at, size_t ldc,          \
			  cl_command_queue *queue, cl_event *event)           \
	{                                                                     \
		struct call x = { complexity,                                 \
				  precision,                                  \
				  m,                                          \
				  n,                                          \
				  k,                                          \
				  { .cl = a, .at = a_at, .leading = lda },    \
				  { .cl = b, .at = b_at, .leading = ldb },    \
				  { .cl = c, .at = c_at, .leading = ldc },    \
				  *queue,                                     \
				  event };                                    \
                                                                              \
		return run(&x, layout, op_a, op_b, FACTORS(alpha, beta));     \
	}

ENTRIES(Sgemm, float, false, false, REAL)
ENTRIES(Dgemm, double, false, true, REAL)
ENTRIES(Cgemm, cl_float2, true, false, COMPLEX)
ENTRIES(Zgemm, cl_double2, true, true, COMPLEX)

int CLBlastClearCache(void)
{
	atomic_fetch_add(&fake_clblast.clears, 1);
	return 0;
}
