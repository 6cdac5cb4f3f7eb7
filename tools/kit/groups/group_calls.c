/* SPDX-License-Identifier: Apache-2.0 */
/* group_calls.c - routines of libraries, in the format "calls-1": gemm.  Those
   of LAPACK are in tools/kit/calls/. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/kit/calls/calls_format.h"
#include "tools/kit/groups/groups.h"
#include "tools/kit/samples.h"
#include "tools/kit/work.h"

/* --- Names ---------------------------------------------------------------- */

static void names(struct kit *kit)
{
	static const char *const unknown[] = { "gemm", "gemm float3",
					       "gem float32",
					       "no_such_routine float32" };
	dprp_module *module;
	size_t logged;

	calls_need(kit);
	for (size_t i = 0; i < KIT_COUNT(unknown); i++) {
		const dprp_rc rc =
			calls_make(kit, unknown[i], &logged, &module);

		note_want("X1", rc, DPR_RC_UNSUPPORTED);
		if (!rc)
			kit->plugin->module->destroy(module);
	}
}

/* --- Products ------------------------------------------------------------- */

/* The elements that each operand has room for. */
#define ROOM 8192

struct shape {
	const char *about;
	dprp_gemm v;
};

#define ONE_MATRIX .batch = { 1, 1, 1, 1 }

static const struct shape shapes[] = {
	{ "one number",
	  { .m = 1,
	    .n = 1,
	    .k = 1,
	    .lda = 1,
	    .ldb = 1,
	    .ldc = 1,
	    ONE_MATRIX } },
	{ "contiguous",
	  { .m = 5,
	    .n = 7,
	    .k = 3,
	    .lda = 3,
	    .ldb = 7,
	    .ldc = 7,
	    ONE_MATRIX } },
	{ "a transposed",
	  { .m = 5,
	    .n = 7,
	    .k = 3,
	    .flags = DPRP_GEMM_A_TRANSPOSED,
	    .lda = 6,
	    .ldb = 7,
	    .ldc = 7,
	    ONE_MATRIX } },
	{ "b transposed",
	  { .m = 5,
	    .n = 7,
	    .k = 3,
	    .flags = DPRP_GEMM_B_TRANSPOSED,
	    .lda = 3,
	    .ldb = 4,
	    .ldc = 7,
	    ONE_MATRIX } },
	{ "parts of larger matrices",
	  { .m = 33,
	    .n = 20,
	    .k = 50,
	    .flags = DPRP_GEMM_A_TRANSPOSED | DPRP_GEMM_B_TRANSPOSED,
	    .offset_a = 17,
	    .offset_b = 5,
	    .offset_c = 9,
	    .lda = 40,
	    .ldb = 51,
	    .ldc = 23,
	    ONE_MATRIX } },
	{ "a batch of one axis",
	  { .m = 4,
	    .n = 4,
	    .k = 4,
	    .lda = 4,
	    .ldb = 4,
	    .ldc = 4,
	    .batch = { 1, 1, 1, 20 },
	    .stride_a = { 0, 0, 0, 16 },
	    .stride_b = { 0, 0, 0, 16 },
	    .stride_c = { 0, 0, 0, 16 } } },
	{ "a batch of three axes, strides 0 and below 0",
	  { .m = 3,
	    .n = 2,
	    .k = 4,
	    .offset_a = 1000,
	    .lda = 4,
	    .ldb = 2,
	    .ldc = 2,
	    .batch = { 1, 2, 3, 4 },
	    .stride_a = { 0, 200, -20, 0 },
	    .stride_b = { 0, 0, 9, 50 },
	    .stride_c = { 0, 500, 100, 7 } } },
};

/* An operand in host memory: numbers of a type, as float64. */
struct numbers {
	double at[ROOM * 2];
};

/* The operands of a product, and its result. */
struct data {
	const struct calls_type *type;
	struct numbers *a, *b, *c;
	dprp_mem *mem[3];
};

static double *element(const struct data *d, struct numbers *x, int64_t i)
{
	return x->at + (size_t)i * d->type->parts;
}

static void add_product(const struct data *d, double *sum, int64_t i, int64_t k)
{
	const double *x = element(d, d->a, i), *y = element(d, d->b, k);

	if (d->type->parts == 1) {
		sum[0] += x[0] * y[0];
		return;
	}
	sum[0] += x[0] * y[0] - x[1] * y[1];
	sum[1] += x[0] * y[1] + x[1] * y[0];
}

/* Compute one matrix of the batch. */
static void expect_matrix(const struct data *d, const dprp_gemm *v, int64_t a,
			  int64_t b, int64_t c)
{
	const bool ta = v->flags & DPRP_GEMM_A_TRANSPOSED,
		   tb = v->flags & DPRP_GEMM_B_TRANSPOSED;

	for (int64_t i = 0; i < v->m; i++)
		for (int64_t j = 0; j < v->n; j++) {
			double sum[2] = { 0 };

			for (int64_t p = 0; p < v->k; p++)
				add_product(d, sum,
					    a + (ta ? i + p * v->lda
						    : i * v->lda + p),
					    b + (tb ? p + j * v->ldb
						    : p * v->ldb + j));
			memcpy(element(d, d->c, c + i * v->ldc + j), sum,
			       d->type->parts * sizeof(sum[0]));
		}
}

/* Compute all products.  What is no element of the result stays NaN. */
static void expect(const struct data *d, const dprp_gemm *v)
{
	int64_t count = 1, at[3], rest;

	for (int i = 0; i < DPRP_GEMM_BATCHES; i++)
		count *= v->batch[i];
	for (int64_t n = 0; n < count; n++) {
		at[0] = v->offset_a;
		at[1] = v->offset_b;
		at[2] = v->offset_c;
		rest = n;
		for (int i = DPRP_GEMM_BATCHES - 1; i >= 0; i--) {
			at[0] += rest % v->batch[i] * v->stride_a[i];
			at[1] += rest % v->batch[i] * v->stride_b[i];
			at[2] += rest % v->batch[i] * v->stride_c[i];
			rest /= v->batch[i];
		}
		expect_matrix(d, v, at[0], at[1], at[2]);
	}
}

/* Make the bytes of @x.  The caller frees them. */
static void *bytes_of(const struct data *d, const struct numbers *x)
{
	const size_t count = ROOM * d->type->parts;
	const bool is_double = d->type->item / d->type->parts == 8;
	void *bytes = malloc(ROOM * d->type->item);

	if (!bytes)
		note_skip("out of memory");
	for (size_t i = 0; i < count; i++)
		if (is_double)
			((double *)bytes)[i] = x->at[i];
		else
			((float *)bytes)[i] = (float)x->at[i];
	return bytes;
}

static void write_numbers(struct kit *kit, const struct data *d, int index,
			  const struct numbers *x)
{
	void *bytes = bytes_of(d, x);

	work_write(kit, d->mem[index], 0, bytes, ROOM * d->type->item);
	free(bytes);
}

/* Make operands of small integers, whose sums are exact in every type, and a
   result of NaN. */
static struct data make_data(struct kit *kit, const struct calls_type *type)
{
	struct numbers *all = calloc(3, sizeof(*all));
	struct data d = { type, all, all + 1, all + 2, { NULL } };

	if (!all)
		note_skip("out of memory");
	for (int i = 0; i < ROOM * 2; i++) {
		d.a->at[i] = i * 7 % 11 - 5;
		d.b->at[i] = i * 5 % 13 - 6;
		d.c->at[i] = NAN;
	}
	for (int i = 0; i < 3; i++) {
		d.mem[i] = work_mem(kit, ROOM * type->item);
		write_numbers(kit, &d, i, all + i);
	}
	return d;
}

static void free_data(struct kit *kit, struct data *d)
{
	for (int i = 0; i < 3; i++)
		work_free(kit, d->mem[i]);
	free(d->a);
}

static void launch(struct kit *kit, dprp_queue *queue, const struct data *d,
		   const dprp_gemm *v, dprp_event **event)
{
	dprp_kernel *kernel = samples_kernel(kit, "gemm");
	const dprp_arg args[] = { samples_mem(d->mem[0], 0),
				  samples_mem(d->mem[1], 0),
				  samples_mem(d->mem[2], 0),
				  samples_value(v, sizeof(*v)) };

	samples_run(kit, queue, kernel, 1, args, 4, event);
	samples_drop(kit, kernel);
}

/* Compare the result with what it has to be. */
static void check(struct kit *kit, const struct data *d, const dprp_gemm *v,
		  const char *rule, const char *about)
{
	const size_t size = ROOM * d->type->item;
	unsigned char *got = malloc(size), *want;
	size_t i = 0;

	if (!got)
		note_skip("out of memory");
	expect(d, v);
	want = bytes_of(d, d->c);
	work_read(kit, d->mem[2], 0, got, size);
	note_step("queue->launch", "gemm %s, %s", d->type->name, about);
	while (i < ROOM && !memcmp(got + i * d->type->item,
				   want + i * d->type->item, d->type->item))
		i++;
	if (i < ROOM)
		note_bad(rule, "the products, and no other bytes written",
			 "element %zu of c is wrong, %s", i,
			 isnan(d->c->at[i * d->type->parts])
				 ? "which is no element of a product"
				 : "an element of a product");
	free(got);
	free(want);
}

static void values(struct kit *kit)
{
	unsigned tried = 0;

	calls_need(kit);
	for (size_t t = 0; t < CALLS_TYPES; t++) {
		if (!calls_open(kit, "gemm", &calls_types[t]))
			continue;
		tried++;
		for (size_t i = 0; i < KIT_COUNT(shapes); i++) {
			struct data d = make_data(kit, &calls_types[t]);

			launch(kit, kit->queue, &d, &shapes[i].v, NULL);
			work_finish(kit, kit->queue);
			check(kit, &d, &shapes[i].v, "X2", shapes[i].about);
			free_data(kit, &d);
		}
		calls_close(kit);
	}
	if (!tried)
		note_skip("there is no gemm here: %s", note_error_text());
}

/* --- Order ---------------------------------------------------------------- */

/* Open the first routine that the plugin has. */
static const struct calls_type *open_any(struct kit *kit)
{
	calls_need(kit);
	for (size_t t = 0; t < CALLS_TYPES; t++)
		if (calls_open(kit, "gemm", &calls_types[t]))
			return &calls_types[t];
	note_skip("there is no gemm here: %s", note_error_text());
}

/* A product begins after the earlier work of its queue, and later work after
   the product.  Its arguments are the caller's again when the call returns. */
static void order(struct kit *kit)
{
	const struct calls_type *type = open_any(kit);
	struct data d = make_data(kit, type);
	const uint64_t size = ROOM * type->item;
	dprp_mem *a = work_mem(kit, size), *c = work_mem(kit, size);
	struct work_long work = work_long(kit);
	dprp_gemm v = shapes[1].v;
	dprp_mem *operand = d.mem[0], *result = d.mem[2];

	work_long_begin(kit, &work, kit->queue, NULL);
	work_copy(kit, kit->queue, a, 0, operand, 0, size, NULL, 0, NULL);
	d.mem[0] = a;
	launch(kit, kit->queue, &d, &v, NULL);
	memset(&v, 0, sizeof(v));
	work_copy(kit, kit->queue, c, 0, result, 0, size, NULL, 0, NULL);
	work_finish(kit, kit->queue);
	d.mem[0] = operand;
	d.mem[2] = c;
	check(kit, &d, &shapes[1].v, "S5",
	      "between two copies on a busy queue");
	d.mem[2] = result;
	work_long_end(kit, &work);
	work_free(kit, a);
	work_free(kit, c);
	free_data(kit, &d);
	calls_close(kit);
}

/* Products on two queues, in turns. */
static void two_queues(struct kit *kit)
{
	enum { TURNS = 20 };
	const struct calls_type *type = open_any(kit);
	struct data d[2] = { make_data(kit, type), make_data(kit, type) };
	const dprp_gemm *v = &shapes[4].v;
	uint64_t got;
	dprp_queue *queue[2] = { kit->queue, kit_queue(kit, 0, &got) };
	dprp_event *event;

	for (int i = 0; i < TURNS * 2; i++) {
		launch(kit, queue[i % 2], &d[i % 2], v, &event);
		work_destroy(kit, event);
	}
	for (int i = 0; i < 2; i++) {
		work_finish(kit, queue[i]);
		check(kit, &d[i], v, "X2", "on two queues in turns");
		free_data(kit, &d[i]);
	}
	work_drop_queue(kit, queue[1]);
	calls_close(kit);
}

/* A product of an in-order queue that is told to be brief. */
static void brief(struct kit *kit)
{
	const struct calls_type *type = open_any(kit);
	struct data d = make_data(kit, type);
	dprp_kernel *kernel = samples_kernel(kit, "gemm");
	const dprp_arg args[] = {
		samples_mem(d.mem[0], 0), samples_mem(d.mem[1], 0),
		samples_mem(d.mem[2], 0),
		samples_value(&shapes[1].v, sizeof(dprp_gemm))
	};
	const dprp_launch launch = { .struct_size = sizeof(launch),
				     .dims = 1,
				     .n_args = 4,
				     .global = { 1, 1, 1 },
				     .args = args,
				     .flags = DPRP_LAUNCH_BRIEF };

	samples_launch(kit, kit->queue, kernel, &launch, NULL, 0, NULL);
	samples_drop(kit, kernel);
	work_finish(kit, kit->queue);
	check(kit, &d, &shapes[1].v, "X2", "with DPRP_LAUNCH_BRIEF");
	free_data(kit, &d);
	calls_close(kit);
}

static const struct kit_check checks[] = {
	{ "names", names, 0 },       { "values", values, 0 },
	{ "order", order, 0 },       { "two_queues", two_queues, 0 },
	{ "brief", brief, 0 },       { "potrf", calls_potrf, 0 },
	{ "getrf", calls_getrf, 0 }, { "getri", calls_getri, 0 },
	{ "gesv", calls_gesv, 0 },   { "trtrs", calls_trtrs, 0 },
	{ "geqrf", calls_geqrf, 0 }, { "orgqr", calls_orgqr, 0 },
	{ "syevd", calls_syevd, 0 }, { "geev", calls_geev, 0 },
	{ "gesdd", calls_gesdd, 0 }, { "flags", calls_flags, 0 },
	{ "not_finite", calls_not_finite, 0 },
};

const struct kit_group group_calls = { "calls",
				       "routines of libraries: products of "
				       "matrices, LAPACK",
				       checks, KIT_COUNT(checks) };
