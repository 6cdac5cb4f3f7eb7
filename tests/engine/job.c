/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - graphs, their operands and launches of them. */
#include "tests/engine/job.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/native/vmcode.h"
#include "core/array/engine/operations.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"

/* CHECK_OK without the devices of a suite. */
#define CHECK_OK(call)                                                     \
	do {                                                               \
		dpr_status status_ = (call);                               \
		ck_assert_msg(status_ == DPR_OK, "%s: %s: %s", #call,      \
			      dpr_status_name(status_), dpr_last_error()); \
	} while (0)

struct random job_random = { 20240229 };
uint64_t job_seed;
dpr_queue *job_queue;

int64_t job_below(int64_t n)
{
	return random_between(&job_random, 0, n - 1);
}

/* --- The array functions -------------------------------------------------- */

static const struct {
	dpr_status (*one)(dpr_operand, dpr_array **);
	dpr_status (*two)(dpr_operand, dpr_operand, dpr_array **);
	dpr_status (*three)(dpr_operand, dpr_operand, dpr_operand,
			    dpr_array **);
} functions[] = {
#define FIELD_1 one
#define FIELD_2 two
#define FIELD_3 three
#define FUNCTION(op, n, family, result, classes, identity, guarded) \
	{ .FIELD_##n = (dpr_##op) },
	OPERATION_MAP(FUNCTION)
};

static dpr_array *apply(unsigned op, dpr_array *const *x)
{
	dpr_array *out = NULL;

	if (operations_table[op].n == 1)
		CHECK_OK(functions[op].one(dpr_operand_array(x[0]), &out));
	else if (operations_table[op].n == 2)
		CHECK_OK(functions[op].two(dpr_operand_array(x[0]),
					   dpr_operand_array(x[1]), &out));
	else
		CHECK_OK(functions[op].three(dpr_operand_array(x[0]),
					     dpr_operand_array(x[1]),
					     dpr_operand_array(x[2]), &out));
	return out;
}

/* Whether @op has a block function for @dtype, and a function that takes
   arrays of it. */
bool job_computes(unsigned op, unsigned dtype)
{
	const char kind = dpr_dtype_kind((dpr_dtype)dtype);

	return operations_takes_computed(op) &&
	       strchr(operations_table[op].classes, kind) &&
	       !strchr(operations_table[op].identity, kind);
}

/* --- Elements ------------------------------------------------------------- */

enum { MOST = 300000 };

/* A float of any size: mostly small whole numbers, some of them large. */
static double some_number(void)
{
	static const double special[] = { 0.0,  -0.0, INFINITY, -INFINITY,
					  1e30, NAN,  -1e9,     0.5 };

	switch (job_below(4)) {
	case 0: return (double)job_below(21) - 10;
	case 1: return (double)(job_below(2000001) - 1000000) / 3e5;
	case 2: return (double)(job_below(2000001) - 1000000) * 7.7;
	default: return job_below(3) ? 1.25 : special[job_below(8)];
	}
}

static void put_element(unsigned char *to, unsigned dtype)
{
	const size_t size = dpr_dtype_size((dpr_dtype)dtype);
	const double d[2] = { some_number(), some_number() };
	const float f[2] = { (float)d[0], (float)d[1] };
	uint64_t bits = random_next(&job_random) >> 8;

	if (dtype == DPR_BOOL || job_below(3) == 0)
		bits = (uint64_t)job_below(dtype == DPR_BOOL ? 2 : 5);
	if (dtype == DPR_FLOAT16 && job_below(2))
		bits = 0x3c00 + (bits & 0x8fff);
	if (dtype == DPR_BFLOAT16 && job_below(2))
		bits = 0x3f00 + (bits & 0x83ff);
	if (dtype == DPR_FLOAT32 || dtype == DPR_COMPLEX64)
		memcpy(to, f, size);
	else if (dtype == DPR_FLOAT64 || dtype == DPR_COMPLEX128)
		memcpy(to, d, size);
	else
		memcpy(to, &bits, size);
}

static dpr_array *new_array(unsigned dtype, int rank, const int64_t *shape)
{
	static _Alignas(16) unsigned char bytes[MOST * 16];
	const size_t size = dpr_dtype_size((dpr_dtype)dtype);
	int64_t count;
	dpr_array *x;

	ck_assert(layout_count(rank, shape, &count) && count <= MOST);
	for (int64_t i = 0; i < count; i++)
		put_element(bytes + (size_t)i * size, dtype);
	CHECK_OK(dpr_array_from_memory(bytes, dpr_shape_of(rank, shape), NULL,
				       (dpr_dtype)dtype, job_queue, &x));
	return x;
}

/* Whether two elements are equal, or both NaN in the same part. */
static bool same_element(const unsigned char *a, const unsigned char *b,
			 unsigned dtype)
{
	const size_t size = dpr_dtype_size((dpr_dtype)dtype);
	double d[2][2];
	float f[2][2];
	uint16_t h[2] = { 0, 0 };

	if (!memcmp(a, b, size))
		return true;
	memcpy(h, a, 2);
	if (size > 1)
		memcpy(h + 1, b, 2);
	switch (dtype) {
	case DPR_FLOAT16:
		return (h[0] & 0x7fff) > 0x7c00 && (h[1] & 0x7fff) > 0x7c00;
	case DPR_BFLOAT16:
		return (h[0] & 0x7fff) > 0x7f80 && (h[1] & 0x7fff) > 0x7f80;
	case DPR_FLOAT32:
	case DPR_COMPLEX64:
		memcpy(f[0], a, size);
		memcpy(f[1], b, size);
		for (size_t i = 0; i < size / sizeof(float); i++)
			if (memcmp(&f[0][i], &f[1][i], sizeof(float)) &&
			    (f[0][i] == f[0][i] || f[1][i] == f[1][i]))
				return false;
		return true;
	case DPR_FLOAT64:
	case DPR_COMPLEX128:
		memcpy(d[0], a, size);
		memcpy(d[1], b, size);
		for (size_t i = 0; i < size / sizeof(double); i++)
			if (memcmp(&d[0][i], &d[1][i], sizeof(double)) &&
			    (d[0][i] == d[0][i] || d[1][i] == d[1][i]))
				return false;
		return true;
	}
	return false;
}

/* --- Jobs ----------------------------------------------------------------- */

void job_start(struct job *job, int rank, const int64_t *shape)
{
	memset(job, 0, sizeof(*job));
	job->rank = rank;
	memcpy(job->shape, shape, (size_t)rank * sizeof(*shape));
	job->flat = rank == 1;
}

void job_end(struct job *job)
{
	for (int i = 0; i < job->graph.n_steps; i++) {
		dpr_array_release(job->value[i]);
		dpr_array_release(job->source[i]);
	}
	for (int i = 0; i < job->graph.n_results; i++) {
		dpr_array_release(job->out[i]);
		dpr_array_release(job->beyond[i]);
	}
}

/* A view of the job's shape into a larger array: with gaps, backwards, from the
   middle, with its axes transposed, or along some axes always the same. */
static dpr_array *some_view(const struct job *job, unsigned dtype, bool fixed)
{
	struct layout layout = { .rank = job->rank };
	int order[6] = { 0, 1, 2, 3, 4, 5 };
	int64_t size = 1;
	int gaps = 3;
	dpr_array *whole, *view;

	if (job_below(3) == 0)
		for (int d = 0; d < job->rank; d++) {
			const int other = (int)job_below(job->rank),
				  t = order[d];

			order[d] = order[other];
			order[other] = t;
		}
	for (int i = job->rank - 1; i >= 0; i--) {
		const int d = order[i];
		const int64_t gap = gaps && job_below(4) == 0 ? 2 : 1;

		gaps -= gap > 1;
		layout.dim[d] = job->shape[d];
		layout.stride[d] = size * gap;
		if (fixed && job_below(3) == 0) {
			layout.stride[d] = 0;
			continue;
		}
		size = size * gap * job->shape[d] + (job_below(4) ? 0 : 3);
		if (job_below(5))
			continue;
		layout.offset += layout.stride[d] * (job->shape[d] - 1);
		layout.stride[d] = -layout.stride[d];
	}
	size += 5;
	whole = new_array(dtype, 1, &size);
	layout.offset += job_below(5);
	CHECK_OK(array_view(whole, &layout, &view));
	dpr_array_release(whole);
	return view;
}

int job_input(struct job *job, unsigned dtype)
{
	const int step = graph_input(&job->graph, dtype);
	const int64_t longer = job->shape[0] + 3;
	dpr_array *whole;

	ck_assert_int_ge(step, 0);
	if (!job->flat) {
		job->value[step] = some_view(job, dtype, true);
		return step;
	}
	whole = new_array(dtype, 1, &longer);
	CHECK_OK(dpr_array_view(whole, &job->value[step],
				DPR_SLICE(2, 2 + job->shape[0], 1)));
	dpr_array_release(whole);
	return step;
}

int job_transposed(struct job *job, unsigned dtype)
{
	const int step = graph_input(&job->graph, dtype);
	const int last = job->rank - 1;
	int64_t shape[6], t;
	dpr_array *plain;

	ck_assert_int_ge(step, 0);
	memcpy(shape, job->shape, sizeof(shape));
	t = shape[last];
	shape[last] = shape[last - 1];
	shape[last - 1] = t;
	plain = new_array(dtype, job->rank, shape);
	CHECK_OK(dpr_matrix_transpose(plain, &job->value[step]));
	dpr_array_release(plain);
	return step;
}

int job_single(struct job *job, unsigned dtype)
{
	const int step = graph_input(&job->graph, dtype);

	ck_assert_int_ge(step, 0);
	job->value[step] = new_array(dtype, 0, NULL);
	return step;
}

int job_scalar(struct job *job, unsigned dtype)
{
	const int step = graph_scalar(&job->graph, dtype);
	uint64_t *word = job->scalar[job->graph.n_scalars - 1];
	const bool half = dtype == DPR_FLOAT16 || dtype == DPR_BFLOAT16;
	dpr_array *wide = NULL;

	ck_assert_int_ge(step, 0);
	job->value[step] = new_array(dtype, 0, NULL);
	if (half)
		CHECK_OK(dpr_astype(job->value[step], DPR_FLOAT32, &wide));
	CHECK_OK(dpr_array_to_memory(
		half ? wide : job->value[step], word,
		dpr_array_nbytes(half ? wide : job->value[step]), NULL));
	dpr_array_release(wide);
	return step;
}

/* A cast.  Of complex numbers, dpr_astype() leaves it to the caller to say what
   part is meant. */
static dpr_array *cast(dpr_array *x, unsigned dtype)
{
	dpr_array *const both[] = { x, x };
	dpr_array *part = NULL, *out;

	if (dpr_dtype_kind(dpr_array_dtype(x)) == 'c' &&
	    dpr_dtype_kind((dpr_dtype)dtype) != 'c') {
		if (dtype == DPR_BOOL)
			return apply(OPERATION__logical_or, both);
		x = part = apply(OPERATION__real, both);
	}
	CHECK_OK(dpr_astype(x, (dpr_dtype)dtype, &out));
	dpr_array_release(part);
	return out;
}

/* A copy, since a result may be written over an input. */
static dpr_array *bits(const dpr_array *x, unsigned dtype)
{
	dpr_array *view, *out;

	CHECK_OK(array_make((dpr_dtype)dtype, x->rank, array_shape(x),
			    array_strides(x), x->offset, x->usm, x->queue,
			    x->kind, &view));
	CHECK_OK(dpr_copy(view, &out));
	dpr_array_release(view);
	return out;
}

int job_gather(struct job *job, unsigned dtype, int place)
{
	static const int64_t two = 2;
	const int wide = graph_cast(&job->graph, DPR_INT64, place);
	int step;

	if (wide < 0)
		return -1;
	job_step(job, wide);
	step = graph_gather(&job->graph, dtype, wide);
	if (step < 0)
		return -1;
	job->flat = false;
	job->source[step] = new_array(dtype, 1, &two);
	CHECK_OK(dpr_take(job->source[step], job->value[wide], 0,
			  DPR_BOUNDS_CHECK, &job->value[step]));
	return step;
}

/* Compute the value of @step, if that is new. */
int job_step(struct job *job, int step)
{
	const struct graph_step *s = &job->graph.step[step];
	dpr_array *x[3] = { NULL };

	ck_assert_int_ge(step, 0);
	if (job->value[step])
		return step;
	for (int k = 0; k < s->n; k++)
		x[k] = job->value[s->x[k]];
	if (s->kind == GRAPH_OPERATION)
		job->value[step] = apply(s->at, x);
	else if (s->kind == GRAPH_CAST)
		job->value[step] = cast(x[0], s->dtype);
	else if (s->kind == GRAPH_BITS)
		job->value[step] = bits(x[0], s->dtype);
	else
		CHECK_OK((dpr_where)(x[0], dpr_operand_array(x[1]),
				     dpr_operand_array(x[2]),
				     &job->value[step]));
	ck_assert_int_eq(dpr_array_dtype(job->value[step]), s->dtype);
	return step;
}

int job_operation(struct job *job, unsigned op, unsigned dtype, const int *x)
{
	return job_step(job, graph_operation(&job->graph, op, dtype,
					     operations_dtype(op, dtype),
					     operations_table[op].n, x));
}

/* --- Launches ------------------------------------------------------------- */

static dpr_program *program;
static dpr_kernel *kernels[SCHEDULE_OPERANDS + 1];

static dpr_status get_kernel(const struct graph *graph, dpr_kernel **out)
{
	const struct image image = vmcode_image();
	const dpr_image native = { DPR_NATIVE_FORMAT, NULL, image.data,
				   image.size };
	dpr_kernel **slot = &kernels[schedule_operands(graph)];
	dpr_status status = DPR_OK;
	char name[VMCODE_NAME];

	if (!program)
		status = dpr_program_build(job_queue, &native, 1, NULL,
					   &program);
	vmcode_name(graph, name);
	if (!status && !*slot)
		status = dpr_kernel_create(program, name, slot);
	*out = *slot;
	return status;
}

void job_release_kernels(void)
{
	for (int i = 0; i <= SCHEDULE_OPERANDS; i++) {
		dpr_kernel_release(kernels[i]);
		kernels[i] = NULL;
	}
	dpr_program_release(program);
	program = NULL;
}

static dpr_array *operand_of(const struct job *job, int k)
{
	const int n = job->graph.n_results;

	if (k < n)
		return job->out[k];
	for (int i = 0; i < job->graph.n_steps; i++)
		if (graph_reads_input(&job->graph.step[i]) &&
		    job->graph.step[i].at == k - n)
			return job->source[i] ? job->source[i] : job->value[i];
	return NULL;
}

/* Describe the operands as a launch of strided arrays does. */
static void make_strided(const struct job *job, struct schedule *schedule,
			 uint64_t *words)
{
	const int n = schedule_operands(&job->graph);
	static int64_t stride[SCHEDULE_OPERANDS][DPR_MAX_RANK];
	int64_t dim[DPR_MAX_RANK] = { 1 }, offset[SCHEDULE_OPERANDS];
	struct schedule_words at;
	int rank;

	memcpy(dim, job->shape, sizeof(job->shape));
	for (int k = 0; k < n; k++) {
		struct layout layout;

		array_layout(operand_of(job, k), &layout);
		offset[k] = layout.offset;
		if (schedule_is_source(&job->graph, k))
			layout.rank = 0;
		ck_assert(layout_expand(&layout, job->rank, dim, stride[k]));
	}
	rank = layout_collapse(n, job->rank, dim, stride, offset, true);
	if (rank == 0) {
		rank = 1;
		dim[0] = 1;
		for (int k = 0; k < n; k++)
			stride[k][0] = !schedule_is_source(&job->graph, k);
	}
	schedule->rank = (uint8_t)rank;
	at = schedule_words(&job->graph, schedule);
	words[at.rows] = 1;
	for (int d = 0; d < rank; d++) {
		words[at.extent + d] = (uint64_t)dim[rank - 1 - d];
		words[at.rows] *= d ? (uint64_t)dim[rank - 1 - d] : 1;
		for (int k = 0; k < n; k++)
			words[at.stride + d * n + k] =
				(uint64_t)stride[k][rank - 1 - d];
	}
	for (int k = 0; k < n; k++) {
		words[at.offset + k] = (uint64_t)offset[k];
		schedule->inner[k] = stride[k][rank - 1] == 0   ? SCHEDULE_FIXED
				     : stride[k][rank - 1] == 1 ? SCHEDULE_NEXT
								: SCHEDULE_ANY;
	}
	words[at.count] = words[at.rows] * words[at.extent];
}

static void set_operand(const struct job *job, int k, dpr_arg *arg)
{
	const dpr_array *x = operand_of(job, k);

	memset(arg, 0, sizeof(*arg));
	arg->kind = DPR_ARG_USM;
	arg->access = k < job->graph.n_results ? DPR_WRITE : DPR_READ;
	arg->as.at.usm = x->usm;
	if (job->flat)
		arg->as.at.offset =
			(size_t)x->offset * dpr_dtype_size(x->dtype);
	/* A result that is also an input is written in the order of a whole
	   launch. */
	for (int i = 0; i < job->graph.n_results; i++)
		if (job->out[i]->usm == x->usm)
			arg->access = DPR_READ_WRITE;
}

dpr_status job_launch(const struct job *job)
{
	struct schedule schedule = { .kind = job->flat ? SCHEDULE_FLAT
						       : SCHEDULE_STRIDED,
				     .cpu.stream = job->stream };
	const int n = schedule_operands(&job->graph);
	uint64_t words[400] = { 0 };
	struct schedule_words at;
	dpr_arg args[SCHEDULE_OPERANDS + 1];
	struct text text = { 0 };
	dpr_kernel *kernel = NULL;
	dpr_status status;

	if (job->flat)
		words[0] = (uint64_t)job->shape[0];
	else
		make_strided(job, &schedule, words);
	at = schedule_words(&job->graph, &schedule);
	ck_assert_int_le(at.n, 400);
	for (int k = 0; k < job->graph.n_scalars; k++)
		memcpy(&words[at.scalar +
			      schedule_scalars_before(&job->graph, k)],
		       job->scalar[k],
		       8 * (size_t)schedule_scalar_words(&job->graph, k));
	status = get_kernel(&job->graph, &kernel);
	if (!status && !vmcode_program(&job->graph, &schedule, words, &text))
		status = DPR_ERROR_OUT_OF_MEMORY;
	for (int k = 0; k < n; k++)
		set_operand(job, k, &args[k]);
	args[n] = (dpr_arg){ .kind = DPR_ARG_BYTES_AT,
			     .size = text.size,
			     .as.bytes = text.bytes };
	if (!status)
		status = dpr_kernel_launch_usm(job_queue, kernel,
					       vmcode_range(text.bytes, 2),
					       NULL, NULL, args, (size_t)n + 1);
	text_fini(&text);
	return status;
}

/* Add @step as a result.  @into NULL: a new array. */
void job_result(struct job *job, int step, dpr_array *into)
{
	const unsigned dtype = job->graph.step[step].dtype;
	const int k = job->graph.n_results;
	const int64_t n = job->shape[0], longer = n + 64;
	dpr_array *whole;

	ck_assert(graph_result(&job->graph, step));
	if (into) {
		job->out[k] = dpr_array_retain(into);
	} else if (job->flat) {
		whole = new_array(dtype, 1, &longer);
		CHECK_OK(dpr_array_view(whole, &job->out[k],
					DPR_SLICE(0, n, 1)));
		CHECK_OK(dpr_array_view(whole, &job->beyond[k],
					DPR_SLICE(n, longer, 1)));
		dpr_array_release(whole);
	} else if (job_below(2)) {
		job->out[k] = some_view(job, dtype, false);
	} else {
		job->out[k] = new_array(dtype, job->rank, job->shape);
	}
}

static bool same_arrays(const dpr_array *a, const dpr_array *b)
{
	static unsigned char bytes[2][MOST * 16];
	const size_t size = dpr_dtype_size(dpr_array_dtype(a));

	CHECK_OK(dpr_array_to_memory(a, bytes[0], dpr_array_nbytes(a), NULL));
	CHECK_OK(dpr_array_to_memory(b, bytes[1], dpr_array_nbytes(b), NULL));
	for (size_t i = 0; i < (size_t)dpr_array_size(a) * size; i += size)
		if (!same_element(bytes[0] + i, bytes[1] + i,
				  dpr_array_dtype(a)))
			return false;
	return true;
}

/* Get the results that the launch is to give, and the elements beyond them that
   the launch is to leave.  The launch may change the inputs. */
static void get_wanted(const struct job *job, dpr_array **want,
		       dpr_array **beyond)
{
	for (int k = 0; k < job->graph.n_results; k++) {
		dpr_array *wide;

		CHECK_OK(dpr_broadcast_to(job->value[job->graph.result[k]],
					  dpr_shape_of(job->rank, job->shape),
					  &wide));
		CHECK_OK(dpr_copy(wide, &want[k]));
		dpr_array_release(wide);
		beyond[k] = NULL;
		if (job->beyond[k])
			CHECK_OK(dpr_copy(job->beyond[k], &beyond[k]));
	}
}

void job_check(struct job *job)
{
	dpr_array *want[GRAPH_RESULTS], *beyond[GRAPH_RESULTS];
	char name[GRAPH_NAME];

	get_wanted(job, want, beyond);
	CHECK_OK(job_launch(job));
	graph_name(&job->graph, name);
	for (int k = 0; k < job->graph.n_results; k++) {
		ck_assert_msg(same_arrays(job->out[k], want[k]),
			      "%s: result %d of %d differs, %d axes, first "
			      "extent %d, %d steps, seed %llu",
			      name, k, job->graph.n_results, job->rank,
			      (int)job->shape[0], job->graph.n_steps,
			      (unsigned long long)job_seed);
		ck_assert_msg(!beyond[k] ||
				      same_arrays(job->beyond[k], beyond[k]),
			      "%s: what follows result %d of %d is changed",
			      name, k, (int)job->shape[0]);
		dpr_array_release(want[k]);
		dpr_array_release(beyond[k]);
	}
}
