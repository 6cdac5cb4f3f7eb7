/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_emit_spirv_run.c - the engine's kernels as SPIR-V give the same bits as
 * the functions of the library, called one after the other on the same device:
 * the software Level Zero driver of tests/zecpu.  Each allocation ends just
 * before a page without access.
 *
 * DPR_TEST_ALL=1: every operation, dtype and layout, and more random graphs;
 * else a sample.  DPR_TEST_SEED repeats a run.
 */
#include "tests/level_zero/level_zero_test.h"

#include <math.h>

#include "core/array/engine/spirv/emit_spirv.h"
#include "tests/kernels/calls.h"
#include "tests/engine/emit_cases.h"
#include "tests/engine/random_graph.h"

/* The shape: no extent is a multiple of a pack or of a work-group, but rows of
   packs are whole, and there are whole squares and parts of them. */
#define RANK 3
static const int extents[][RANK] = { { 17, 9, 31 },
				     { 16, 9, 31 },
				     { 70, 67, 2 } };
static int extent[RANK];
static size_t count; /* their product */

/* Elements before and behind each result, which must not change. */
#define EDGE 5
#define FILL 0x5a

static struct random rng;
static bool with_all;
static dpr_queue *queue;

/* --- Ways to lie -------------------------------------------------------- */

/* How the operands of a launch lie. */
enum way {
	WAY_PACKS,    /* FLAT, and all begin at multiples of 16 bytes */
	WAY_ELEMENTS, /* FLAT, and they do not */
	WAY_PLACE,    /* as WAY_PACKS; a result is an input */
	WAY_SMALL,    /* STRIDED, with numbers of 32 bits */
	WAY_LARGE,    /* and of 64 */
	WAY_ROWS,
	WAY_TILE,
	WAYS
};

static bool is_flat(enum way way)
{
	return way <= WAY_PLACE;
}

static void set_shape(enum way way)
{
	const int which = way == WAY_ROWS ? 1 : way == WAY_TILE ? 2 : 0;

	memcpy(extent, extents[which], sizeof(extent));
	count = (size_t)extent[0] * (size_t)extent[1] * (size_t)extent[2];
}

/* An operand: the elements in C order, and how they are stored. */
struct operand {
	unsigned dtype;
	size_t item, room; /* bytes of an element; elements of `stored` */
	unsigned char *logical, *stored;
	int64_t offset, stride[RANK];
	dpr_usm *usm;
};

/* The strides of operand @k, by its way along axis 0.  Axis 0 is the
   innermost. */
static void set_strides(struct operand *x, int k,
			const struct schedule *schedule, bool is_result)
{
	const int64_t e0 = extent[0], e1 = extent[1], e2 = extent[2];
	const int64_t strides[][RANK] = {
		{ 1, e0, e0 * e1 },         /* C order */
		{ -1, -e0, -e0 * e1 },      /* backwards */
		{ e1 * e2, e2, 1 },         /* the axes reversed */
		{ 0, 1, e1 },               /* broadcast */
		{ 1, 2 * e0, 2 * e0 * e1 }, /* with a gap behind each row */
		{ e1, 1, e0 * e1 },         /* transposed */
	};
	int order = k % (is_result ? 3 : 4);

	if (schedule->kind == SCHEDULE_FLAT)
		order = 0;
	else if (schedule->kind != SCHEDULE_STRIDED)
		order = schedule->inner[k] == SCHEDULE_FIXED        ? 3
			: schedule->inner[k] == SCHEDULE_ANY        ? 1
			: schedule->inner[k] == SCHEDULE_TRANSPOSED ? 5
			: schedule->kind == SCHEDULE_ROWS           ? 4
								    : 0;
	memcpy(x->stride, strides[order], sizeof(x->stride));
}

/* Lay operand @k out, and tell the schedule how. */
static void lay_out(struct operand *x, int k, struct schedule *schedule,
		    enum way way, bool is_result)
{
	int64_t last = 0, below = 0; /* from the first element on */

	set_strides(x, k, schedule, is_result);
	for (int d = 0; d < RANK; d++)
		*(x->stride[d] < 0 ? &below : &last) +=
			(extent[d] - 1) * x->stride[d];
	x->offset = is_flat(way)      ? (way == WAY_ELEMENTS ? 1 + k % 3 : 0)
		    : way == WAY_ROWS ? 16
				      : EDGE - below;
	x->room = (size_t)(x->offset + last) + 1 + 2 * EDGE;
	if (schedule->kind == SCHEDULE_STRIDED)
		schedule->inner[k] = x->stride[0] == 0   ? SCHEDULE_FIXED
				     : x->stride[0] == 1 ? SCHEDULE_NEXT
							 : SCHEDULE_ANY;
}

/* Where element @i is stored. */
static size_t place(const struct operand *x, size_t i)
{
	int64_t at = x->offset;

	for (int d = 0; d < RANK; d++) {
		at += (int64_t)(i % (size_t)extent[d]) * x->stride[d];
		i /= (size_t)extent[d];
	}
	return (size_t)at;
}

/* The places of an operand without memory are elements of a source, and so are
   those up to FURTHER behind them. */
#define FURTHER 255
static size_t source_room(void)
{
	return 2 * count + FURTHER + 64;
}

/* Make an operand of random values; of a result all bytes are the same.  One
   without memory has its places as values. */
static void make_operand(struct operand *x, int k, unsigned dtype,
			 struct schedule *schedule, enum way way,
			 bool is_result, bool has_memory, bool is_source)
{
	*x = (struct operand){ .dtype = dtype,
			       .item = dpr_dtype_size((dpr_dtype)dtype) };
	lay_out(x, k, schedule, way, is_result);
	if (is_source) {
		memset(x->stride, 0, sizeof(x->stride));
		x->room = source_room();
	}
	x->stored = malloc(x->room * x->item);
	x->logical = malloc(count * x->item);
	ck_assert(x->stored && x->logical);
	if (!has_memory) {
		for (size_t i = 0; i < count; i++) {
			const int64_t at = (int64_t)place(x, i);

			memcpy(x->logical + i * x->item, &at, x->item);
		}
		return;
	}
	if (is_result)
		memset(x->stored, FILL, x->room * x->item);
	else
		random_fill(&rng, dtype, x->room, x->stored);
	for (size_t i = 0; i < count; i++)
		memcpy(x->logical + i * x->item,
		       x->stored + place(x, i) * x->item, x->item);
	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, x->room * x->item,
			       &x->usm));
	CHECK_OK(dpr_usm_write(queue, x->usm, 0, x->stored, x->room * x->item,
			       NULL, NULL));
}

static void free_operand(struct operand *x)
{
	dpr_usm_release(x->usm);
	free(x->stored);
	free(x->logical);
}

/* --- Scalars ------------------------------------------------------------ */

/* A scalar, as an element of an array and as the words for a kernel. */
struct number {
	unsigned char element[16];
	uint64_t word[2];
};

static struct number make_number(unsigned dtype)
{
	static const struct {
		uint16_t half, bfloat;
		float value;
	} shorts[] = {
		{ 0x0000, 0x0000, 0.0f },     { 0x8000, 0x8000, -0.0f },
		{ 0x3e00, 0x3fc0, 1.5f },     { 0xc080, 0xc010, -2.25f },
		{ 0x7c00, 0x7f80, INFINITY }, { 0x7e00, 0x7fc0, NAN },
	};
	const int k = (int)random_below(&rng, 6);
	struct number number = { 0 };

	if (dtype != DPR_FLOAT16 && dtype != DPR_BFLOAT16) {
		random_fill(&rng, dtype, 1, number.element);
		memcpy(number.word, number.element,
		       dpr_dtype_size((dpr_dtype)dtype));
		return number;
	}
	memcpy(number.element,
	       dtype == DPR_FLOAT16 ? &shorts[k].half : &shorts[k].bfloat, 2);
	memcpy(number.word, &shorts[k].value, sizeof(float));
	return number;
}

/* --- The functions of the library --------------------------------------- */

static dpr_array *array_of(const void *data, int64_t n, unsigned dtype)
{
	dpr_array *x = NULL;

	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(n), NULL,
				       (dpr_dtype)dtype, queue, &x));
	return x;
}

/* A cast.  The library casts no complex number to another kind; a kernel takes
   the real part, or asks whether it is not 0. */
static dpr_array *call_cast(dpr_array *x, const struct graph_step *step)
{
	dpr_array *part = NULL, *out = NULL;

	if (dpr_dtype_kind((dpr_dtype)step->compute) != 'c' ||
	    dpr_dtype_kind((dpr_dtype)step->dtype) == 'c') {
		CHECK_OK(dpr_astype(x, (dpr_dtype)step->dtype, &out));
		return out;
	}
	if (step->dtype == DPR_BOOL) {
		CHECK_OK(dpr_logical_not(x, &part));
		CHECK_OK(dpr_logical_not(part, &out));
	} else {
		CHECK_OK(dpr_real(x, &part));
		CHECK_OK(dpr_astype(part, (dpr_dtype)step->dtype, &out));
	}
	dpr_array_release(part);
	return out;
}

static dpr_array *call_bits(dpr_array *x, const struct graph_step *step)
{
	const int64_t n = dpr_array_size(x);
	unsigned char *bytes =
		malloc((size_t)n * dpr_dtype_size((dpr_dtype)step->dtype));
	dpr_array *out;

	ck_assert_ptr_nonnull(bytes);
	CHECK_OK(dpr_array_to_memory(x, bytes, dpr_array_nbytes(x), NULL));
	out = array_of(bytes, n, step->dtype);
	free(bytes);
	return out;
}

static dpr_array *call_step(const struct graph_step *step,
			    dpr_array *const *values)
{
	dpr_array *x[3] = { NULL }, *out = NULL;
	const char *name = "where";

	for (int k = 0; k < step->n; k++)
		x[k] = values[step->x[k]];
	if (step->kind == GRAPH_CAST)
		return call_cast(x[0], step);
	if (step->kind == GRAPH_BITS)
		return call_bits(x[0], step);
	if (step->kind == GRAPH_OPERATION)
		name = operations_table[step->at].name;
	CHECK_OK(calls_apply(calls_find(name), x, &out));
	ck_assert_msg(dpr_array_dtype(out) == (dpr_dtype)step->dtype,
		      "%s gives %s", name,
		      dpr_dtype_name(dpr_array_dtype(out)));
	return out;
}

/* The elements of @source at @places, which has int64. */
static dpr_array *call_gather(dpr_array *places, const struct operand *source)
{
	int64_t *at = malloc(count * sizeof(*at));
	unsigned char *bytes = malloc(count * source->item);
	dpr_array *out;

	ck_assert(at && bytes);
	CHECK_OK(dpr_array_to_memory(places, at, count * sizeof(*at), NULL));
	for (size_t i = 0; i < count; i++) {
		const size_t from = (size_t)(source->offset + at[i]);

		ck_assert_uint_lt(from, source->room);
		memcpy(bytes + i * source->item,
		       source->stored + from * source->item, source->item);
	}
	out = array_of(bytes, (int64_t)count, source->dtype);
	free(at);
	free(bytes);
	return out;
}

/* Get all elements of a result, which may be one for all. */
static void get_all(dpr_array *x, size_t item, unsigned char *to)
{
	CHECK_OK(dpr_array_to_memory(x, to, dpr_array_nbytes(x), NULL));
	for (size_t i = 1; dpr_array_size(x) == 1 && i < count; i++)
		memcpy(to + i * item, to, item);
}

/* Set the results' logical elements to what the library computes. */
static void call_library(const struct graph *graph, struct operand *x,
			 const struct number *numbers)
{
	dpr_array *values[GRAPH_STEPS] = { NULL };

	for (int i = 0; i < graph->n_steps; i++) {
		const struct graph_step *step = &graph->step[i];

		if (graph_is_input(step))
			values[i] =
				array_of(x[graph->n_results + step->at].logical,
					 (int64_t)count, step->dtype);
		else if (step->kind == GRAPH_SCALAR)
			values[i] = array_of(numbers[step->at].element, 1,
					     step->dtype);
		else if (step->kind == GRAPH_GATHER)
			values[i] =
				call_gather(values[step->x[0]],
					    &x[graph->n_results + step->at]);
		else
			values[i] = call_step(step, values);
	}
	for (int k = 0; k < graph->n_results; k++)
		get_all(values[graph->result[k]], x[k].item, x[k].logical);
	for (int i = 0; i < graph->n_steps; i++)
		dpr_array_release(values[i]);
}

/* --- The kernel --------------------------------------------------------- */

static dpr_kernel *build(const struct graph *graph,
			 const struct schedule *schedule)
{
	dpr_build_options options = { .struct_size = sizeof(options) };
	dpr_image image = { "spirv", NULL, NULL, 0 };
	struct text module = { 0 };
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;
	char name[GRAPH_NAME];

	if (calls_round(dpr_queue_device(queue)))
		options.flags = DPR_BUILD_ROUNDED;
	graph_name(graph, name);
	ck_assert(emit_spirv_kernel(graph, schedule, name, &module));
	image.data = module.bytes;
	image.size = module.size;
	CHECK_OK(dpr_program_build(queue, &image, 1, &options, &program));
	CHECK_OK(dpr_kernel_create(program, name, &kernel));
	dpr_program_release(program);
	text_fini(&module);
	return kernel;
}

/* Fill the words of a launch. */
static void fill_words(const struct graph *graph,
		       const struct schedule *schedule, const struct operand *x,
		       const struct number *numbers, uint64_t *w)
{
	const struct schedule_words words = schedule_words(graph, schedule);
	const int operands = schedule_operands(graph);

	w[words.count] = count;
	for (int k = 0; k < graph->n_scalars; k++)
		memcpy(&w[words.scalar + schedule_scalars_before(graph, k)],
		       numbers[k].word,
		       8 * (size_t)schedule_scalar_words(graph, k));
	if (schedule->kind == SCHEDULE_FLAT)
		return;
	w[words.rows] = count / (uint64_t)extent[0];
	for (int d = 0; d < RANK; d++) {
		w[words.extent + d] = (uint64_t)extent[d];
		for (int k = 0; k < operands; k++)
			w[words.stride + d * operands + k] =
				(uint64_t)x[k].stride[d];
	}
	for (int k = 0; k < operands; k++)
		w[words.offset + k] = (uint64_t)x[k].offset;
}

/* How many work-groups there are. */
static uint64_t groups_of(const struct graph *graph,
			  const struct schedule *schedule)
{
	const uint64_t items =
		SCHEDULE_GROUP *
		(schedule->kind == SCHEDULE_STRIDED
			 ? 1
			 : (uint64_t)schedule_items(graph, schedule));
	uint64_t squares = (uint64_t)extent[2];

	if (schedule->kind != SCHEDULE_TILE)
		return (count + items - 1) / items;
	for (int d = 0; d < 2; d++)
		squares *= ((uint64_t)extent[d] + schedule->gpu.tile - 1) /
			   schedule->gpu.tile;
	return squares;
}

static void launch(const struct graph *graph, const struct schedule *schedule,
		   const struct operand *x, const struct number *numbers)
{
	const int operands = schedule_operands(graph);
	const uint64_t groups = groups_of(graph, schedule);
	dpr_kernel *kernel = build(graph, schedule);
	dpr_arg args[SCHEDULE_OPERANDS + 1];
	uint64_t w[256] = { 0 };
	size_t n = 0;

	for (int k = 0; k < operands; k++)
		if (schedule_has_memory(graph, k))
			args[n++] = dpr_arg_usm_use(
				x[k].usm,
				schedule->kind == SCHEDULE_FLAT
					? (size_t)x[k].offset * x[k].item
					: 0,
				k < graph->n_results ? DPR_READ_WRITE
						     : DPR_READ);
	fill_words(graph, schedule, x, numbers, w);
	args[n++] =
		dpr_arg_bytes(w, 8 * (size_t)schedule_words(graph, schedule).n);
	CHECK_OK(dpr_kernel_launch_usm(
		queue, kernel,
		dpr_range_local(DPR_RANGE1(groups * SCHEDULE_GROUP),
				SCHEDULE_GROUP, 1, 1),
		NULL, NULL, args, n));
	dpr_kernel_release(kernel);
}

/* --- Comparing ---------------------------------------------------------- */

static bool is_nan(unsigned dtype, const unsigned char *part)
{
	uint16_t bits;
	double d;
	float f;

	switch (dtype) {
	case DPR_FLOAT16:
	case DPR_BFLOAT16:
		memcpy(&bits, part, sizeof(bits));
		return (bits & 0x7fff) >
		       (dtype == DPR_FLOAT16 ? 0x7c00 : 0x7f80);
	case DPR_FLOAT32:
	case DPR_COMPLEX64: memcpy(&f, part, sizeof(f)); return f != f;
	case DPR_FLOAT64:
	case DPR_COMPLEX128: memcpy(&d, part, sizeof(d)); return d != d;
	default: return false;
	}
}

/* Whether the bits are equal, or both are NaN. */
static bool same(unsigned dtype, const unsigned char *a, const unsigned char *b)
{
	const size_t parts = dtype >= DPR_COMPLEX64 ? 2 : 1;
	const size_t size = dpr_dtype_size((dpr_dtype)dtype) / parts;

	for (size_t p = 0; p < parts; p++, a += size, b += size)
		if (memcmp(a, b, size) != 0 &&
		    !(is_nan(dtype, a) && is_nan(dtype, b)))
			return false;
	return true;
}

static void print_bytes(const char *what, const unsigned char *bytes, size_t n)
{
	printf(" %s", what);
	while (n)
		printf("%02x", bytes[--n]);
}

/* Print what was computed of which values for element @i. */
static void print_element(const struct graph *graph, const struct operand *x,
			  size_t i)
{
	for (int k = graph->n_results; k < schedule_operands(graph); k++)
		print_bytes("of ", x[k].logical + i * x[k].item, x[k].item);
	printf("\n");
	for (int k = 0; k < graph->n_steps; k++)
		printf("  %d: kind %d at %d of %s %d %d %d is %s\n", k,
		       graph->step[k].kind, graph->step[k].at,
		       dpr_dtype_name(graph->step[k].compute),
		       graph->step[k].x[0], graph->step[k].x[1],
		       graph->step[k].x[2],
		       dpr_dtype_name(graph->step[k].dtype));
}

/* Compare result @k, and what is around it. */
static void compare(const struct graph *graph, const struct operand *x, int k,
		    enum way way)
{
	const size_t item = x[k].item;
	unsigned char *stored = malloc(x[k].room * item);
	char name[GRAPH_NAME];

	graph_name(graph, name);
	ck_assert_ptr_nonnull(stored);
	CHECK_OK(dpr_usm_read(queue, stored, x[k].usm, 0, x[k].room * item,
			      NULL, NULL));
	for (size_t i = 0; i < count; i++) {
		unsigned char *found = stored + place(&x[k], i) * item;
		const unsigned char *want = x[k].logical + i * item;

		if (!same(x[k].dtype, found, want)) {
			print_bytes("found ", found, item);
			print_bytes("want ", want, item);
			print_element(graph, x, i);
			ck_abort_msg("%s, way %d, result %d, element %zu", name,
				     way, k, i);
		}
		memcpy(found, x[k].stored + place(&x[k], i) * item, item);
	}
	ck_assert_msg(!memcmp(stored, x[k].stored, x[k].room * item),
		      "%s, way %d wrote beside result %d", name, way, k);
	free(stored);
}

/* --- One graph ---------------------------------------------------------- */

static struct schedule schedule_of(enum way way, const struct graph *graph)
{
	struct schedule schedule = { .gpu.aligned = way == WAY_PACKS ||
						    way == WAY_PLACE,
				     .gpu.small = way != WAY_LARGE,
				     .rank = RANK };

	switch (way) {
	case WAY_PACKS:
	case WAY_ELEMENTS:
	case WAY_PLACE:
		schedule.kind = SCHEDULE_FLAT;
		schedule.rank = schedule.gpu.small = 0;
		break;
	case WAY_SMALL:
	case WAY_LARGE: schedule.kind = SCHEDULE_STRIDED; break;
	case WAY_ROWS:
		schedule = emit_schedule(EMIT_ROWS, graph);
		schedule.rank = RANK;
		/* Rows of 16 elements: a team of four work-items takes one. */
		if (graph_gathers(graph) && schedule.gpu.pack == 1) {
			schedule.gpu.slots = 4;
			schedule.gpu.team_bits = 2;
		}
		break;
	case WAY_TILE:
		schedule.kind = SCHEDULE_TILE;
		emit_transposed(&schedule, graph);
		break;
	case WAYS: break;
	}
	return schedule;
}

/* Let the first result be an input of its dtype, if there is one. */
static void share(const struct graph *graph, struct operand *x)
{
	for (int k = graph->n_results; k < schedule_operands(graph); k++) {
		if (x[k].dtype != x[0].dtype)
			continue;
		dpr_usm_release(x[0].usm);
		x[0].usm = dpr_usm_retain(x[k].usm);
		memcpy(x[0].stored, x[k].stored, x[k].room * x[k].item);
		return;
	}
}

static void run(const struct graph *graph, enum way way)
{
	struct schedule schedule = schedule_of(way, graph);
	struct operand x[SCHEDULE_OPERANDS];
	struct number numbers[GRAPH_SCALARS];

	set_shape(way);
	for (int k = 0; k < schedule_operands(graph); k++)
		make_operand(&x[k], k, schedule_operand(graph, k), &schedule,
			     way, k < graph->n_results,
			     schedule_has_memory(graph, k),
			     schedule_is_source(graph, k));
	for (int i = 0; i < graph->n_steps; i++)
		if (graph->step[i].kind == GRAPH_SCALAR)
			numbers[graph->step[i].at] =
				make_number(graph->step[i].dtype);
	call_library(graph, x, numbers);
	if (way == WAY_PLACE)
		share(graph, x);
	launch(graph, &schedule, x, numbers);
	for (int k = 0; k < graph->n_results; k++)
		compare(graph, x, k, way);
	for (int k = 0; k < schedule_operands(graph); k++)
		free_operand(&x[k]);
}

/* In all ways, or in one of them. */
static void run_ways(const struct graph *graph)
{
	static int turn;

	for (int way = 0; way < WAYS; way++)
		if (with_all || way == turn % WAYS)
			run(graph, (enum way)way);
	turn++;
}

/* --- Tests -------------------------------------------------------------- */

static void start(void)
{
	zecpu->set("GUARD", 1);
	use_backends(NULL);
	queue = queue_of(get_device("level_zero:gpu:0"));
}

/* Whether this run takes an operation: of a few dtypes, whose modules other
   tests use, too. */
static bool is_ours(unsigned op, unsigned dtype)
{
	if (with_all)
		return graph_has(op, dtype);
	return graph_has(op, dtype) &&
	       (dtype == DPR_FLOAT32 ? op % 2 == 0
				     : dtype == DPR_COMPLEX64 && op % 6 == 1);
}

START_TEST(operations)
{
	const unsigned dtype = (unsigned)_i + 1;
	int n = 0;

	start();
	for (unsigned op = 0; op < OPERATION_COUNT; op++) {
		struct graph graph;

		if (!is_ours(op, dtype))
			continue;
		graph = graph_of_operation(op, dtype);
		run_ways(&graph);
		n++;
	}
	if (n)
		printf("%d operations of %s\n", n,
		       dpr_dtype_name((dpr_dtype)dtype));
	finish_all();
}
END_TEST

START_TEST(casts_and_choices)
{
	const unsigned from = (unsigned)_i + 1;
	struct graph graph = graph_of_where(from);

	start();
	if (with_all)
		run_ways(&graph);
	for (unsigned to = 1; to <= DPR_COMPLEX128; to++) {
		if (!with_all && (from != DPR_FLOAT32 || to % 5))
			continue;
		graph = graph_of_cast(from, to);
		run_ways(&graph);
	}
	finish_all();
}
END_TEST

/* A choice between an element and a number; a number that is a result. */
START_TEST(scalars)
{
	start();
	for (unsigned dtype = 1; dtype <= DPR_COMPLEX128; dtype++) {
		struct graph graph = { 0 };
		int x[3];

		x[0] = graph_input(&graph, DPR_BOOL);
		graph_result(&graph, graph_scalar(&graph, DPR_COMPLEX128));
		x[1] = graph_input(&graph, dtype);
		x[2] = graph_scalar(&graph, dtype);
		graph_result(&graph, graph_where(&graph, dtype, x));
		run_ways(&graph);
	}
	finish_all();
}
END_TEST

/* An input without memory: alone, cast, and beside one that has some. */
START_TEST(indices)
{
	static const unsigned dtypes[] = { DPR_INT8, DPR_FLOAT32,
					   DPR_COMPLEX64 };

	start();
	for (int way = WAY_SMALL; way < WAYS; way++) {
		struct graph graph = { 0 };
		int x[2];

		graph_result(&graph, graph_index(&graph));
		run(&graph, (enum way)way);
		for (size_t i = 0; i < 3; i++) {
			memset(&graph, 0, sizeof(graph));
			x[0] = graph_input(&graph, dtypes[i]);
			x[1] = graph_cast(&graph, dtypes[i],
					  graph_index(&graph));
			graph_result(&graph,
				     graph_operation(&graph, OPERATION__add,
						     dtypes[i], dtypes[i], 2,
						     x));
			graph_result(&graph, x[1]);
			run(&graph, (enum way)way);
		}
	}
	finish_all();
}
END_TEST

/* Elements at the place of an input without memory, and further on as another
   input says.  In rows the second one is the same for a whole row. */
START_TEST(gathers)
{
	start();
	for (unsigned dtype = 1; dtype <= DPR_COMPLEX128; dtype++) {
		struct graph graph = { 0 };
		int x[2];

		if (!with_all && dtype != DPR_INT8 && dtype != DPR_BFLOAT16 &&
		    dtype != DPR_FLOAT32 && dtype != DPR_COMPLEX128)
			continue;
		x[0] = graph_index(&graph);
		x[1] = graph_cast(&graph, DPR_INT64,
				  graph_cast(&graph, DPR_UINT8,
					     graph_input(&graph, DPR_INT64)));
		x[0] = graph_operation(&graph, OPERATION__add, DPR_INT64,
				       DPR_INT64, 2, x);
		graph_result(&graph, graph_gather(&graph, dtype, x[0]));
		for (int way = WAY_SMALL; way <= WAY_ROWS; way++)
			run(&graph, (enum way)way);
	}
	finish_all();
}
END_TEST

START_TEST(random_graphs)
{
	const int n = with_all ? 60 : 4;

	start();
	rng.state += (uint64_t)_i;
	with_all = false; /* each in one way */
	for (int i = 0; i < n; i++) {
		const int steps = (int)random_below(&rng, 40) + 1;
		struct graph graph = graph_random(&rng, steps, i % 2);

		run_ways(&graph);
	}
	finish_all();
}
END_TEST

int main(void)
{
	const struct test_times tests[] = {
		{ operations, DPR_COMPLEX128 },
		{ casts_and_choices, DPR_COMPLEX128 },
		{ scalars, 1 },
		{ indices, 1 },
		{ gathers, 1 },
		{ random_graphs, getenv("DPR_TEST_ALL") ? 10 : 1 },
	};
	const char *seed = getenv("DPR_TEST_SEED");

	if (!emit_spirv_is_there()) {
		printf("this build has no SPIR-V: it wants clang, opt and "
		       "llvm-spirv of one version of LLVM, 15, 17, 18 or 19\n");
		return 77;
	}
	if (!is_able())
		return 77;
	with_all = getenv("DPR_TEST_ALL") != NULL;
	rng.state = seed ? strtoull(seed, NULL, 10) : 20261124;
	printf("DPR_TEST_SEED=%llu\n", (unsigned long long)rng.state);
	fflush(stdout);
	return run_tests_times("emit_spirv_run", tests,
			       sizeof(tests) / sizeof(tests[0]));
}
