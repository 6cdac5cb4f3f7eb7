/* SPDX-License-Identifier: Apache-2.0 */
/* group_calls.c - routines of libraries, in the format "calls-1". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/samples.h"
#include "tools/kit/work.h"

/* --- Routines ------------------------------------------------------------- */

/* The dtypes of gemm.  A complex number has two parts. */
static const struct type {
	const char *name;
	size_t parts, item;
} types[] = {
	{ "gemm float32", 1, 4 },
	{ "gemm float64", 1, 8 },
	{ "gemm complex64", 2, 8 },
	{ "gemm complex128", 2, 16 },
};

static void need_calls(struct kit *kit)
{
	char list[2048] = "", *at = list;
	size_t need = 0;

	if (!kit->plugin->module)
		note_skip("there is no module table: the plugin can only copy");
	if (NOTE_CALL(kit->plugin->device->info(kit->device, DPR_INFO_FORMATS,
						list, sizeof(list) - 1, &need),
		      "device->info", "key=DPR_INFO_FORMATS"))
		note_skip("the device tells no FORMATS");
	while (at < list + need && *at && strcmp(at, DPRP_CALLS_FORMAT) != 0)
		at += strlen(at) + 1;
	if (at >= list + need || !*at)
		note_skip("the device does not offer the format calls-1");
	kit->format = DPRP_CALLS_FORMAT;
}

/* The bytes of a log. */
static void count(void *user, const char *bytes, size_t size)
{
	(void)bytes;
	*(size_t *)user += size;
}

/* Make a module of the routine @name.  More bytes follow the name.  Returns
   what create() does. */
static dprp_rc make(struct kit *kit, const char *name, size_t *logged,
		    dprp_module **out)
{
	char data[40] = "";
	const dprp_image image = { sizeof(image), DPRP_CALLS_FORMAT, NULL, data,
				   strlen(name) };
	const dprp_image *const images = &image;
	const dprp_module_desc desc = { .struct_size = sizeof(desc),
					.n_images = 1,
					.images = &images,
					.log = { count, logged } };

	memset(data, 'x', sizeof(data) - 1);
	memcpy(data, name, strlen(name));
	*logged = 0;
	*out = NOTE_POISON;
	return NOTE_CALL(kit->plugin->module->create(kit->context, kit->device,
						     &desc, out),
			 "module->create", "format=calls-1, data=\"%s\"", name);
}

/* Make kit->module of gemm of a type.  Returns false if the plugin does not
   have the routine. */
static bool open_routine(struct kit *kit, const struct type *type)
{
	size_t logged;
	dprp_rc rc = make(kit, type->name, &logged, &kit->module);

	if (rc == DPR_RC_UNSUPPORTED) {
		kit->module = NULL;
		note_tell("%s: %s", type->name, note_error_text());
		return false;
	}
	note_need("X1", rc);
	note_handle(kit->module);
	if (!logged)
		note_bad("X1", "a line in desc->log that names the library",
			 "an empty log");
	return true;
}

static void close_routine(struct kit *kit)
{
	note_step("module->destroy", "%s", "");
	kit->plugin->module->destroy(kit->module);
	kit->module = NULL;
}

static void names(struct kit *kit)
{
	static const char *const unknown[] = { "gemm", "gemm float3",
					       "gem float32",
					       "no_such_routine float32" };
	dprp_module *module;
	size_t logged;

	need_calls(kit);
	for (size_t i = 0; i < KIT_COUNT(unknown); i++) {
		const dprp_rc rc = make(kit, unknown[i], &logged, &module);

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
	const struct type *type;
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
static struct data make_data(struct kit *kit, const struct type *type)
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
	note_step("queue->launch", "%s, %s", d->type->name, about);
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

	need_calls(kit);
	for (size_t t = 0; t < KIT_COUNT(types); t++) {
		if (!open_routine(kit, &types[t]))
			continue;
		tried++;
		for (size_t i = 0; i < KIT_COUNT(shapes); i++) {
			struct data d = make_data(kit, &types[t]);

			launch(kit, kit->queue, &d, &shapes[i].v, NULL);
			work_finish(kit, kit->queue);
			check(kit, &d, &shapes[i].v, "X2", shapes[i].about);
			free_data(kit, &d);
		}
		close_routine(kit);
	}
	if (!tried)
		note_skip("there is no gemm here: %s", note_error_text());
}

/* --- Order ---------------------------------------------------------------- */

/* Open the first routine that the plugin has. */
static const struct type *open_any(struct kit *kit)
{
	need_calls(kit);
	for (size_t t = 0; t < KIT_COUNT(types); t++)
		if (open_routine(kit, &types[t]))
			return &types[t];
	note_skip("there is no gemm here: %s", note_error_text());
}

/* A product begins after the earlier work of its queue, and later work after
   the product.  Its arguments are the caller's again when the call returns. */
static void order(struct kit *kit)
{
	const struct type *type = open_any(kit);
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
	close_routine(kit);
}

/* Products on two queues, in turns. */
static void two_queues(struct kit *kit)
{
	enum { TURNS = 20 };
	const struct type *type = open_any(kit);
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
	close_routine(kit);
}

/* A product of an in-order queue that is told to be brief. */
static void brief(struct kit *kit)
{
	const struct type *type = open_any(kit);
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
	close_routine(kit);
}

/* --- LAPACK --------------------------------------------------------------- */

/* Matrices of three rows, in columns with a gap, and what follows from the
   first: the solution of a x = b, and the factor of Cholesky. */
#define SIDE 3
#define MATRICES 3

static const double matrix[SIDE][SIDE] = { { 4, 2, -2 },
					   { 2, 10, 5 },
					   { -2, 5, 21 } };
static const double factor[SIDE][SIDE] = { { 2, 0, 0 },
					   { 1, 3, 0 },
					   { -1, 2, 4 } };
static const double solution[SIDE] = { 1, -2, 3 };

/* a, b or info.  The last matrix of a is a matrix of zeros: singular, and not
   positive definite. */
static const dprp_lapack lapack_values = {
	.m = SIDE,
	.n = SIDE,
	.k = 1,
	.count = MATRICES,
	.offset = { 2, 1, 4 },
	.stride = { 20, 5, 2 },
	.leading = { 5, SIDE, 1 },
};

static int64_t place_of(const dprp_lapack *v, int arg, int i, int row,
			int column)
{
	return v->offset[arg] + i * v->stride[arg] + column * v->leading[arg] +
	       row;
}

/* Write matrices, right-hand sides and poison for info. */
static void write_system(struct kit *kit, struct data *d, const dprp_lapack *v)
{
	for (int i = 0; i < MATRICES; i++)
		for (int row = 0; row < SIDE; row++) {
			double *b = element(d, d->b, place_of(v, 1, i, row, 0));

			b[0] = 0;
			for (int column = 0; column < SIDE; column++) {
				const double x = i == MATRICES - 1
							 ? 0
							 : matrix[row][column];
				double *a =
					element(d, d->a,
						place_of(v, 0, i, row, column));

				memset(a, 0, d->type->parts * sizeof(*a));
				a[0] = x;
				b[0] += x * solution[column];
			}
			if (d->type->parts > 1)
				b[1] = 0;
		}
	write_numbers(kit, d, 0, d->a);
	write_numbers(kit, d, 1, d->b);
}

/* Read operand @index into @out. */
static void read_numbers(struct kit *kit, const struct data *d, int index,
			 struct numbers *out)
{
	const size_t size = ROOM * d->type->item;
	const bool is_double = d->type->item / d->type->parts == 8;
	void *bytes = malloc(size);

	if (!bytes)
		note_skip("out of memory");
	work_read(kit, d->mem[index], 0, bytes, size);
	for (size_t i = 0; i < ROOM * d->type->parts; i++)
		out->at[i] =
			is_double ? ((double *)bytes)[i] : ((float *)bytes)[i];
	free(bytes);
}

/* Compare operand @index with @want: numbers of results nearly, the others
   exactly. */
static void check_numbers(struct kit *kit, const struct data *d, int index,
			  const struct numbers *want, const char *what)
{
	struct numbers *got = malloc(sizeof(*got));
	size_t i = 0;

	if (!got)
		note_skip("out of memory");
	read_numbers(kit, d, index, got);
	note_step("queue->launch", "%s", what);
	while (i < ROOM * d->type->parts &&
	       fabs(got->at[i] - want->at[i]) <= 1e-4)
		i++;
	if (i < ROOM * d->type->parts)
		note_bad("X2",
			 "what LAPACK computes, and no other bytes written",
			 "number %zu is %g, not %g", i, got->at[i],
			 want->at[i]);
	free(got);
}

/* Check info: 0, but for the last matrix a number above 0. */
static void check_info(struct kit *kit, dprp_mem *mem, const dprp_lapack *v,
		       int arg, const char *what)
{
	int32_t info[ROOM / 2];

	work_read(kit, mem, 0, info, sizeof(info));
	note_step("queue->launch", "%s", what);
	for (int i = 0; i < MATRICES; i++) {
		const int32_t is = info[place_of(v, arg, i, 0, 0)];

		if (i < MATRICES - 1 ? is != 0 : is <= 0)
			note_bad("X2",
				 i < MATRICES - 1 ? "info of 0"
						  : "info above 0 for a "
						    "matrix of zeros",
				 "%d for matrix %d", is, i);
	}
}

/* Open a routine of LAPACK for a type.  @name has room for both. */
static bool open_lapack(struct kit *kit, const char *routine,
			const struct type *type, char name[40])
{
	struct type of = *type;

	snprintf(name, 40, "%s%s", routine, strchr(type->name, ' '));
	of.name = name;
	return open_routine(kit, &of);
}

static void run_lapack(struct kit *kit, const char *routine,
		       const dprp_arg *args, uint32_t n_args)
{
	dprp_kernel *kernel = samples_kernel(kit, routine);

	samples_run(kit, kit->queue, kernel, 1, args, n_args, NULL);
	samples_drop(kit, kernel);
	work_finish(kit, kit->queue);
}

static void solve(struct kit *kit, const struct type *type)
{
	struct data d = make_data(kit, type);
	const dprp_lapack *v = &lapack_values;
	const dprp_arg args[] = { samples_mem(d.mem[0], 0),
				  samples_mem(d.mem[1], 0),
				  samples_mem(d.mem[2], 0),
				  samples_value(v, sizeof(*v)) };

	write_system(kit, &d, v);
	run_lapack(kit, "gesv", args, 4);
	for (int i = 0; i < MATRICES - 1; i++)
		for (int row = 0; row < SIDE; row++)
			element(&d, d.b, place_of(v, 1, i, row, 0))[0] =
				solution[row];
	check_numbers(kit, &d, 1, d.b, "gesv, b");
	check_info(kit, d.mem[2], v, 2, "gesv, info");
	free_data(kit, &d);
}

/* The factor is in the triangle that flags name.  The other triangle keeps its
   numbers.  The matrix of zeros is not looked at. */
static void factorise(struct kit *kit, const struct type *type, bool is_upper)
{
	struct data d = make_data(kit, type);
	dprp_lapack v = lapack_values;
	const dprp_arg args[] = { samples_mem(d.mem[0], 0),
				  samples_mem(d.mem[2], 0),
				  samples_value(&v, sizeof(v)) };

	write_system(kit, &d, &v);
	v.flags = is_upper ? DPRP_LAPACK_UPPER : 0;
	v.offset[1] = v.offset[2];
	v.stride[1] = v.stride[2];
	v.leading[1] = v.leading[2];
	run_lapack(kit, "potrf", args, 3);
	for (int i = 0; i < MATRICES - 1; i++)
		for (int row = 0; row < SIDE; row++)
			for (int column = 0; column <= row; column++)
				element(&d, d.a,
					is_upper ? place_of(&v, 0, i, column,
							    row)
						 : place_of(&v, 0, i, row,
							    column))[0] =
					factor[row][column];
	check_numbers(kit, &d, 0, d.a, is_upper ? "potrf, upper" : "potrf");
	check_info(kit, d.mem[2], &v, 1, "potrf, info");
	free_data(kit, &d);
}

static void lapack(struct kit *kit)
{
	char name[40];
	unsigned tried = 0;

	need_calls(kit);
	for (size_t t = 0; t < KIT_COUNT(types); t++) {
		if (open_lapack(kit, "gesv", &types[t], name)) {
			solve(kit, &types[t]);
			close_routine(kit);
			tried++;
		}
		if (open_lapack(kit, "potrf", &types[t], name)) {
			factorise(kit, &types[t], false);
			factorise(kit, &types[t], true);
			close_routine(kit);
			tried++;
		}
	}
	if (!tried)
		note_skip("there are no gesv and potrf here: %s",
			  note_error_text());
}

static const struct kit_check checks[] = {
	{ "names", names, 0 }, { "values", values, 0 },
	{ "order", order, 0 }, { "two_queues", two_queues, 0 },
	{ "brief", brief, 0 }, { "lapack", lapack, 0 },
};

const struct kit_group group_calls = { "calls",
				       "routines of libraries: products, "
				       "solutions, factors",
				       checks, KIT_COUNT(checks) };
