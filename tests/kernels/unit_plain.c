/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_plain.c - kernels for contiguous arrays of one shape give the same bits
 * as kernels for arrays with axes, on OpenCL devices that are CPUs.  Operations
 * have one or two operands, every dtype, and every path to memory.  Where the
 * functions are our own, the host backend gives the same, too.
 *
 * A matrix of two rows, as one operand of two axes, has kernels of the second
 * kind; its rows, each as an operand of one axis, have those of the first. Each
 * row has a run of each length, with gaps between the runs: so runs begin at
 * different places, and a write beyond the end of a run is seen.
 *
 * DPR_TEST_ALL takes all operations, dtypes and lengths, which drivers compile
 * for minutes; else DPR_TEST_SEED repeats a choice.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <dpr/dpr.h>

#include "core/array/element/scalar.h"
#include "core/array/engine/target.h"
#include "core/array/functions/elementwise.h"
#include "core/base/process.h"
#include "tests/support/devices.h"
#include "tests/support/random.h"

#define GAP 5
#define DTYPES (DPR_COMPLEX128 + 1)

/* Lengths around the ends of the work-items of both kinds.  Only the first
   FEW_LENGTHS are used, except for the first path to memory with DPR_TEST_ALL.
 */
static const int64_t lengths[] = { 3,   257, 4097, 1,    2,
				   255, 256, 4095, 4096, 12289 };
enum { MAX_LENGTHS = sizeof(lengths) / sizeof(lengths[0]), FEW_LENGTHS = 3 };
static size_t n_lengths;

static const char *const paths[] = { "svm-fine", "svm-coarse", "buffer",
				     "usm" };
enum { N_PATHS = sizeof(paths) / sizeof(paths[0]) };

static int64_t begins[MAX_LENGTHS], pitch; /* start of each run; row length */
static dpr_queue *queue, *host_queue;      /* host_queue: NULL if none */
static bool whole;
static int *n_ran; /* number of paths tested, in all processes */

/* --- Operations ---------------------------------------------------------- */

struct function {
	dpr_status (*unary)(dpr_operand, dpr_array **);
	dpr_status (*unary_into)(dpr_operand, dpr_array *);
	dpr_status (*binary)(dpr_operand, dpr_operand, dpr_array **);
	dpr_status (*binary_into)(dpr_operand, dpr_operand, dpr_array *);
};

/* Indexed by OPERATION__name. */
static const struct function functions[] = {
#define FUNCTION_1(f, into) .unary = (f), .unary_into = (into)
#define FUNCTION_2(f, into) .binary = (f), .binary_into = (into)
#define FUNCTION_3(f, into) .unary = NULL
#define X(op, n, family, result, classes, identity, guarded) \
	[OPERATION__##op] = { FUNCTION_##n(dpr_##op, dpr_##op##_into) },
	OPERATION_MAP(X)
#undef X
};

static dpr_status apply(int op, const dpr_operand *x, dpr_array **out)
{
	const struct function *f = &functions[op];

	return f->unary ? f->unary(x[0], out) : f->binary(x[0], x[1], out);
}

static dpr_status apply_into(int op, const dpr_operand *x, dpr_array *out)
{
	const struct function *f = &functions[op];

	return f->unary ? f->unary_into(x[0], out)
			: f->binary_into(x[0], x[1], out);
}

/* Whether the operation has kernels of its own for @dtype, and a function that
   takes arrays of it. */
static bool has_kernels(int op, dpr_dtype dtype)
{
	const struct operations_entry *o = &operations_table[op];
	const char kind = dpr_dtype_kind(dtype);

	return o->n <= 2 && operations_takes_computed((unsigned)op) &&
	       strchr(o->classes, kind) &&
	       !strchr(o->identity, kind);
}

/* Whether the host backend computes the same bits.  Functions of a library
   differ and, in double precision, the magnitude of a complex number, and what
   is computed from it. */
static bool is_ours(int op, dpr_dtype dtype)
{
	const char kind = dpr_dtype_kind(dtype);

	if (kind != 'f' && kind != 'c')
		return true;
	if (dtype == DPR_COMPLEX128 &&
	    (op == OPERATION__abs || op == OPERATION__sign ||
	     op == OPERATION__sqrt))
		return false;
	if (op == OPERATION__floor_divide || op == OPERATION__remainder)
		return true;
	return (kind != 'c' && dtype != DPR_FLOAT64) ||
	       operations_table[op].family != OPERATIONS_MATH;
}

/* --- Operands ------------------------------------------------------------ */

/* Two rows of runs, and views of the runs.  Operands also have the same data on
   the host, and each run of row 0 as an array of its own. */
struct matrix {
	dpr_array *all, *pairs[MAX_LENGTHS], *rows[2][MAX_LENGTHS];
	dpr_array *host, *whole[MAX_LENGTHS];
};

static size_t matrix_size(dpr_dtype dtype)
{
	return 2 * (size_t)pitch * dpr_dtype_size(dtype);
}

static void lay_out(size_t n)
{
	n_lengths = n;
	pitch = 0;
	for (size_t i = 0; i < n_lengths; i++) {
		begins[i] = pitch + (i ? GAP : 0);
		pitch = begins[i] + lengths[i];
	}
	pitch += GAP;
}

static void make_matrix(struct matrix *m, dpr_dtype dtype, const void *data)
{
	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(2, pitch), NULL, dtype,
				       queue, &m->all));
	for (size_t i = 0; i < n_lengths; i++) {
		const dpr_index run =
			DPR_SLICE(begins[i], begins[i] + lengths[i], 1);

		CHECK_OK(dpr_array_view(m->all, &m->pairs[i], DPR_ALL, run));
		for (int r = 0; r < 2; r++)
			CHECK_OK(dpr_array_view(m->all, &m->rows[r][i],
						DPR_AT(r), run));
	}
}

static void make_operand(struct matrix *m, dpr_dtype dtype, const void *data)
{
	make_matrix(m, dtype, data);
	for (size_t i = 0; i < n_lengths; i++)
		CHECK_OK(dpr_copy(m->rows[0][i], &m->whole[i]));
	if (host_queue)
		CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(2, pitch), NULL,
					       dtype, host_queue, &m->host));
}

static void drop_matrix(struct matrix *m)
{
	for (size_t i = 0; i < n_lengths; i++) {
		dpr_array_release(m->pairs[i]);
		dpr_array_release(m->rows[0][i]);
		dpr_array_release(m->rows[1][i]);
		dpr_array_release(m->whole[i]);
	}
	dpr_array_release(m->host);
	dpr_array_release(m->all);
	memset(m, 0, sizeof(*m));
}

/* Special numbers, for all dtypes that can hold them. */
static const double odd_numbers[] = {
	0,        -0.0,      1,     -1,        0.5,    -2.5,
	INFINITY, -INFINITY, NAN,   1e-310,    -1e-40, 65504,
	3.4e38,   -1.7e308,  40000, -12345678, 0x1p62, 3.75,
};

static double some_number(struct random *r, bool any)
{
	const size_t n = sizeof(odd_numbers) / sizeof(odd_numbers[0]);

	if (any && random_between(r, 0, 3) == 0)
		return odd_numbers[random_between(r, 0, (int64_t)n - 1)];
	return (double)random_between(r, -8000000, 8000000) / 65536;
}

/* Put special numbers anywhere in row 0.  Row 1 has one number so large that
   another function computes its sine and those of some neighbours. */
static void fill(struct random *r, dpr_dtype dtype, unsigned char *data)
{
	const size_t size = dpr_dtype_size(dtype);

	for (int64_t i = 0; i < 2 * pitch; i++) {
		unsigned char *at = data + (size_t)i * size;
		const bool any = i < pitch;
		uint64_t bits = random_next(r);
		dpr_operand value;

		switch (dpr_dtype_kind(dtype)) {
		case 'b': *at = bits >> 63; continue;
		case 'i':
		case 'u':
			/* Include small numbers and the extremes. */
			bits = bits >> 60 < 4 ? bits >> 20 & 15 : bits;
			bits = bits >> 60 == 5 ? UINT64_C(1) << (8 * size - 1)
					       : bits;
			bits = bits >> 60 == 6 ? 0 - (bits & 3) : bits;
			memcpy(at, &bits, size);
			continue;
		case 'f': value = dpr_operand_float(some_number(r, any)); break;
		default:
			value = dpr_operand_complex_parts(some_number(r, any),
							  some_number(r, any));
		}
		if (i == pitch + begins[2] + 700)
			value = dpr_operand_float(50000);
		CHECK_OK(scalar_store("fill", value, dtype, at));
	}
}

/* --- Comparing ----------------------------------------------------------- */

static bool same_part(double a, double b)
{
	return (a != a && b != b) || memcmp(&a, &b, sizeof(a)) == 0;
}

/* Compare bit for bit, but take any NaN for any other: compilers choose
   which. */
static bool same_element(dpr_dtype dtype, const void *a, const void *b)
{
	dpr_operand x, y;

	if (memcmp(a, b, dpr_dtype_size(dtype)) == 0)
		return true;
	x = scalar_load(a, dtype);
	y = scalar_load(b, dtype);
	if (dpr_dtype_kind(dtype) == 'f')
		return same_part(x.as.f, y.as.f);
	return dpr_dtype_kind(dtype) == 'c' &&
	       same_part(x.as.c[0], y.as.c[0]) &&
	       same_part(x.as.c[1], y.as.c[1]);
}

/* The operation being tested, for messages. */
struct job {
	int op;
	dpr_dtype dtype, result;
	const char *form;
};

static void compare(const struct job *job, const char *what, int64_t length,
		    const unsigned char *found, const unsigned char *expected,
		    int64_t count)
{
	const size_t size = dpr_dtype_size(job->result);

	if (memcmp(found, expected, (size_t)count * size) == 0)
		return;
	for (int64_t i = 0; i < count; i++)
		ck_assert_msg(same_element(job->result,
					   found + (size_t)i * size,
					   expected + (size_t)i * size),
			      "%s of %s, %s, length %lld: element %lld of %s "
			      "differs",
			      operations_table[job->op].name,
			      dpr_dtype_name(job->dtype), job->form,
			      (long long)length, (long long)i, what);
}

/* --- One operation ------------------------------------------------------- */

/* The matrices of an operand for its pairs and for its rows, or if they are
   NULL, its value. */
struct source {
	const struct matrix *c, *p;
	dpr_operand value;
};

/* Which arrays of the matrices to pass as operands. */
enum way { WAY_PAIR, WAY_ROW_0, WAY_ROW_1, WAY_WHOLE, WAY_HOST };

static void pick(const struct source source[2], enum way way, size_t i,
		 dpr_operand *x)
{
	for (int k = 0; k < 2; k++) {
		const struct matrix *c = source[k].c, *p = source[k].p;

		x[k] = source[k].value;
		if (!c)
			continue;
		x[k] = dpr_operand_array(way == WAY_PAIR    ? c->pairs[i]
					 : way == WAY_ROW_0 ? p->rows[0][i]
					 : way == WAY_ROW_1 ? p->rows[1][i]
					 : way == WAY_WHOLE ? p->whole[i]
							    : c->host);
	}
}

/* Matrices for the results, in [0] of pairs and in [1] of rows.  Both have
   equal bytes before and after each job. */
static struct matrix results[DTYPES][2];
static unsigned char *bytes[3]; /* of pairs, of rows, of another result */

static const struct matrix *result_of(dpr_dtype dtype, int which)
{
	struct matrix *m = &results[dtype][which];

	if (!m->all) {
		memset(bytes[2], dtype == DPR_BOOL ? 1 : 0x5a,
		       matrix_size(dtype));
		make_matrix(m, dtype, bytes[2]);
	}
	return m;
}

static void read_all(const struct matrix *m, unsigned char *to)
{
	CHECK_OK(dpr_array_to_memory(m->all, to, dpr_array_nbytes(m->all),
				     NULL));
}

/* Compute all runs into @c and into @p, and check that both are equal.  Leaves
   the bytes of @c in bytes[0].  Returns false if the operation refuses the
   operands. */
static bool run_both(const struct job *job, const struct source source[2],
		     const struct matrix *c, const struct matrix *p)
{
	dpr_operand x[2];

	for (size_t i = 0; i < n_lengths; i++) {
		dpr_status status;

		pick(source, WAY_PAIR, i, x);
		status = apply_into(job->op, x, c->pairs[i]);
		pick(source, WAY_ROW_0, i, x);
		ck_assert_int_eq(apply_into(job->op, x, p->rows[0][i]), status);
		if (status)
			return false;
		pick(source, WAY_ROW_1, i, x);
		CHECK_OK(apply_into(job->op, x, p->rows[1][i]));
	}
	read_all(c, bytes[0]);
	read_all(p, bytes[1]);
	for (size_t i = 0; i < n_lengths; i++)
		for (int r = 0; r < 2; r++) {
			const size_t at = (size_t)(r * pitch + begins[i]) *
					  dpr_dtype_size(job->result);

			compare(job, "a view", lengths[i], bytes[1] + at,
				bytes[0] + at, lengths[i] + GAP);
		}
	return true;
}

/* Compute new arrays, which begin where their memory begins. */
static void run_whole(const struct job *job, const struct source source[2])
{
	const size_t size = dpr_dtype_size(job->result);

	for (size_t i = 0; i < n_lengths; i++) {
		dpr_operand x[2];
		dpr_array *out;

		pick(source, WAY_WHOLE, i, x);
		CHECK_OK(apply(job->op, x, &out));
		CHECK_OK(dpr_array_to_memory(out, bytes[2],
					     dpr_array_nbytes(out), NULL));
		compare(job, "a new array", lengths[i], bytes[2],
			bytes[0] + (size_t)begins[i] * size, lengths[i]);
		dpr_array_release(out);
	}
}

static void run_host(const struct job *job, const struct source source[2])
{
	dpr_operand x[2];
	dpr_array *out;

	pick(source, WAY_HOST, 0, x);
	CHECK_OK(apply(job->op, x, &out));
	CHECK_OK(dpr_array_to_memory(out, bytes[2], dpr_array_nbytes(out),
				     NULL));
	for (size_t i = 0; i < n_lengths; i++)
		for (int r = 0; r < 2; r++) {
			const size_t at = (size_t)(r * pitch + begins[i]) *
					  dpr_dtype_size(job->result);

			compare(job, "the host's", lengths[i], bytes[0] + at,
				bytes[2] + at, lengths[i]);
		}
	dpr_array_release(out);
}

static void run(int op, dpr_dtype dtype, const char *form,
		const struct source source[2])
{
	struct job job = { op, dtype, 0, form };
	dpr_dtype compute;
	dpr_operand x[2];

	pick(source, WAY_PAIR, 0, x);
	if (elementwise_dtypes(op, x, &compute, &job.result))
		return;
	if (!run_both(&job, source, result_of(job.result, 0),
		      result_of(job.result, 1)))
		return;
	run_whole(&job, source);
	if (host_queue && is_ours(op, compute))
		run_host(&job, source);
}

/* --- Its operands -------------------------------------------------------- */

/* Numbers of every kind.  If @dtype cannot hold one of them, the operation
   refuses it or casts the array to another dtype. */
static size_t scalars_for(dpr_dtype dtype, dpr_operand *out)
{
	const char kind = dpr_dtype_kind(dtype);
	size_t n = 0;

	out[n++] = dpr_operand_bool(true);
	out[n++] = dpr_operand_int(dtype == DPR_INT64 ? INT64_MIN : 3);
	if (kind == 'i')
		out[n++] = dpr_operand_int(-7);
	if (kind == 'u')
		out[n++] = dpr_operand_uint(
			dtype == DPR_UINT64 ? (UINT64_C(1) << 63) + 5 : 200);
	if (dtype == DPR_INT64)
		out[n++] = dpr_operand_int(INT64_MAX);
	if (kind == 'f' || kind == 'c') {
		out[n++] = dpr_operand_float(-0.0);
		out[n++] = dpr_operand_float(0.1);
		out[n++] = dpr_operand_float(NAN);
	}
	if (kind == 'c') {
		out[n++] = dpr_operand_complex_parts(2.5, -1.25);
		out[n++] = dpr_operand_complex_parts(-0.0, -0.0);
		out[n++] = dpr_operand_complex_parts(0, 3);
	}
	return n;
}

static void run_scalars(int op, dpr_dtype dtype, const struct matrix *a)
{
	dpr_operand value[16];
	const size_t n = scalars_for(dtype, value);
	char form[40];

	for (size_t i = 0; i < n; i++) {
		snprintf(form, sizeof(form), "array and scalar %zu", i);
		run(op, dtype, form,
		    (struct source[]){ { .c = a, .p = a },
				       { .value = value[i] } });
		snprintf(form, sizeof(form), "scalar %zu and array", i);
		run(op, dtype, form,
		    (struct source[]){ { .value = value[i] },
				       { .c = a, .p = a } });
	}
}

/* Matrices that are operand and result at once, and their initial bytes. */
struct written {
	struct matrix c, p;
	unsigned char *data;
};

static void run_in_place(int op, dpr_dtype dtype, const char *form,
			 const struct source source[2], struct written *w)
{
	const struct job job = { op, dtype, dtype, form };
	const struct matrix *both[] = { &w->c, &w->p };

	for (int k = 0; k < 2; k++)
		CHECK_OK(dpr_usm_write(queue, dpr_array_usm(both[k]->all), 0,
				       w->data, matrix_size(dtype), NULL,
				       NULL));
	run_both(&job, source, &w->c, &w->p);
}

static void run_operation(int op, dpr_dtype dtype, const struct matrix *a,
			  const struct matrix *b, struct written *w)
{
	const struct source from_a = { .c = a, .p = a };
	const struct source from_b = { .c = b, .p = b };
	const struct source own = { .c = &w->c, .p = &w->p };
	const bool is_binary = operations_table[op].n == 2;

	run(op, dtype, "two arrays", (struct source[]){ from_a, from_b });
	if (is_binary) {
		run(op, dtype, "an array twice",
		    (struct source[]){ from_b, from_b });
		run_scalars(op, dtype, a);
	}
	if (operations_dtype((unsigned)op, dtype) != (unsigned)dtype)
		return;
	run_in_place(op, dtype, "into operand 1",
		     (struct source[]){ own, from_b }, w);
	if (!is_binary)
		return;
	run_in_place(op, dtype, "into operand 2",
		     (struct source[]){ from_b, own }, w);
	run_in_place(op, dtype, "into both", (struct source[]){ own, own }, w);
}

/* --- Which kernels ------------------------------------------------------- */

static size_t count_kernels(void)
{
	size_t programs = 0, kernels = 0;

	process_count_kept(&programs, &kernels);
	return kernels;
}

/* Check that a run of two axes and one of one axis do use two different
   kernels: this creates both, unless another operation has created both. */
static void check_kernels(int op, const struct matrix *a,
			  const struct matrix *b)
{
	const struct source source[] = { { .c = a, .p = a },
					 { .c = b, .p = b } };
	const size_t before = count_kernels(), i = 1;
	size_t between, after;
	dpr_dtype compute, result;
	dpr_operand x[2];
	dpr_array *out;

	pick(source, WAY_PAIR, i, x);
	CHECK_OK(elementwise_dtypes(op, x, &compute, &result));
	CHECK_OK(apply_into(op, x, result_of(result, 0)->pairs[i]));
	between = count_kernels();
	pick(source, WAY_WHOLE, i, x);
	CHECK_OK(apply(op, x, &out));
	after = count_kernels();
	ck_assert_msg(after - between == between - before &&
			      between - before <= 1,
		      "%s of %s: %zu kernels for pairs, %zu for rows",
		      operations_table[op].name, dpr_dtype_name(compute),
		      between - before, after - between);
	pick(source, WAY_ROW_0, i, x);
	CHECK_OK(apply_into(op, x, result_of(result, 1)->rows[0][i]));
	pick(source, WAY_ROW_1, i, x);
	CHECK_OK(apply_into(op, x, result_of(result, 1)->rows[1][i]));
	dpr_array_release(out);
}

/* --- Running ------------------------------------------------------------- */

/* A driver compiles each kernel.  So without DPR_TEST_ALL, only a random half
   of the operations is tested, each in one of a few dtypes, and on each path to
   memory after the first only those in float32. */
static bool chosen[OPERATION_COUNT];

static void choose_operations(void)
{
	const char *text = getenv("DPR_TEST_SEED");
	const uint64_t seed = text ? strtoull(text, NULL, 0) : 0;
	struct random r = { seed ? seed : (uint64_t)time(NULL) };

	printf("DPR_TEST_SEED=%llu\n", (unsigned long long)r.state);
	fflush(stdout);
	for (int op = 0; op < OPERATION_COUNT; op++)
		chosen[op] = random_next(&r) >> 63;
}

static const bool taken[DTYPES] = {
	[DPR_BOOL] = true,    [DPR_INT16] = true,   [DPR_UINT64] = true,
	[DPR_FLOAT16] = true, [DPR_FLOAT32] = true, [DPR_COMPLEX128] = true,
};

static bool is_taken(dpr_dtype dtype, bool first)
{
	return dpr_dtype_computes(dpr_queue_device(queue), dtype) &&
	       (whole || (first && taken[dtype]) || dtype == DPR_FLOAT32);
}

static bool is_turn(int op, dpr_dtype dtype)
{
	int n = 0, before = 0;

	for (unsigned d = DPR_BOOL; d < DTYPES; d++) {
		const bool counts = taken[d] && has_kernels(op, (dpr_dtype)d);

		before += counts && d < (unsigned)dtype;
		n += counts;
	}
	return whole || (chosen[op] && n && op % n == before);
}

static void run_dtype(dpr_dtype dtype)
{
	struct random r = { 0x9e3779b97f4a7c15u + dtype };
	struct matrix a = { 0 }, b = { 0 };
	struct written w = { .data = malloc(matrix_size(dtype)) };

	ck_assert_ptr_nonnull(w.data);
	fill(&r, dtype, w.data);
	make_operand(&b, dtype, w.data);
	fill(&r, dtype, w.data);
	make_operand(&a, dtype, w.data);
	make_matrix(&w.c, dtype, w.data);
	make_matrix(&w.p, dtype, w.data);
	for (int op = 0; op < OPERATION_COUNT; op++)
		if (has_kernels(op, dtype) && is_turn(op, dtype)) {
			check_kernels(op, &a, &b);
			run_operation(op, dtype, &a, &b, &w);
		}
	drop_matrix(&a);
	drop_matrix(&b);
	drop_matrix(&w.c);
	drop_matrix(&w.p);
	free(w.data);
}

/* Choose the devices.  Returns false if none has this path to memory. */
static bool start(const char *path)
{
	dpr_device *device;
	size_t n;

	setenv("DPR_OPTION_OPENCL_MEMORY", path, 1);
	if (dpr_device_enumerate("opencl:cpu", &device, 1, &n) || n == 0) {
		printf("not tried: no OpenCL CPU has memory %s\n", path);
		return false;
	}
	queue = queue_of(device);
	host_queue = NULL;
	if (dpr_device_enumerate("host:cpu", &device, 1, &n) == DPR_OK && n > 0)
		host_queue = queue_of(device);
	return true;
}

START_TEST(as_other_kernels)
{
	bool first;

	if (!start(paths[_i]))
		return;
	first = (*n_ran)++ == 0;
	lay_out(whole && first ? MAX_LENGTHS : FEW_LENGTHS);
	for (int k = 0; k < 3; k++) {
		bytes[k] = malloc(matrix_size(DPR_COMPLEX128));
		ck_assert_ptr_nonnull(bytes[k]);
	}
	for (unsigned dtype = DPR_BOOL; dtype < DTYPES; dtype++)
		if (is_taken((dpr_dtype)dtype, first))
			run_dtype((dpr_dtype)dtype);
	for (unsigned dtype = DPR_BOOL; dtype < DTYPES; dtype++) {
		drop_matrix(&results[dtype][0]);
		drop_matrix(&results[dtype][1]);
	}
	for (int k = 0; k < 3; k++)
		free(bytes[k]);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Whether a kernel's pointer can begin anywhere is what the device reports,
   even for memory with addresses.  api_wrapped tests views of memory without
   addresses. */
START_TEST(where_pointers_begin)
{
	static const char *const aligns[] = { "1", "64" };
	dpr_device *device;
	dpr_usm *usm;
	size_t n;

	use_mock_devices();
	setenv("DPR_OPTION_MOCK_OFFSET_ALIGN", aligns[_i], 1);
	CHECK_OK(dpr_device_enumerate("mock", &device, 1, &n));
	CHECK_OK(dpr_usm_alloc(queue_of(device), DPR_USM_DEVICE, 256, &usm));
	ck_assert_ptr_nonnull(dpr_usm_address(usm));
	ck_assert_int_eq(target_of(device)->binds_anywhere, _i == 0);
	dpr_usm_release(usm);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plain");
	TCase *tcase = tcase_create("plain");
	SRunner *runner = srunner_create(suite);
	int failed;

	whole = getenv("DPR_TEST_ALL") != NULL;
	choose_operations();
	n_ran = mmap(NULL, sizeof(*n_ran), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (n_ran == MAP_FAILED)
		return 99;
	tcase_set_timeout(tcase, 300);
	/* Each path needs its own process, because the option is read only
	   once. */
	tcase_add_loop_test(tcase, as_other_kernels, 0, N_PATHS);
	tcase_add_loop_test(tcase, where_pointers_begin, 0, 2);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	if (!*n_ran)
		printf("skipped: there is no OpenCL device that is a CPU\n");
	return failed ? EXIT_FAILURE : *n_ran ? EXIT_SUCCESS : 77;
}
