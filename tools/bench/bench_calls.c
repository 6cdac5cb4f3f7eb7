/* SPDX-License-Identifier: Apache-2.0 */
/* bench_calls.c - dpr's side of the rows on single calls. */
#include "tools/bench/bench_calls.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_measure.h"
#include "tools/bench/bench_values.h"
#include "tools/bench/level_zero/bench_ze_spirv.h"
#include "tools/shared/seconds.h"

const char bench_calls_source[] =
	"kernel void add(global const float *x, global const float *y,\n"
	"		global float *out, int n)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"\n"
	"	if (i < n)\n"
	"		out[i] = x[i] + y[i];\n"
	"}\n"
	"kernel void nothing(void)\n"
	"{\n"
	"}\n";

const char bench_calls_ptx[] =
	".version 6.0\n"
	".target sm_60\n"
	".address_size 64\n"
	".visible .entry add(\n"
	"	.param .u64 .ptr .global .align 4 x,\n"
	"	.param .u64 .ptr .global .align 4 y,\n"
	"	.param .u64 .ptr .global .align 4 out,\n"
	"	.param .u32 n)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %r<6>;\n"
	"	.reg .f32 %f<4>;\n"
	"	.reg .b64 %rd<5>;\n"
	"	mov.u32 %r1, %ctaid.x;\n"
	"	mov.u32 %r2, %ntid.x;\n"
	"	mov.u32 %r3, %tid.x;\n"
	"	mad.lo.s32 %r4, %r1, %r2, %r3;\n"
	"	ld.param.u32 %r5, [n];\n"
	"	setp.ge.s32 %p, %r4, %r5;\n"
	"	@%p bra DONE;\n"
	"	mul.wide.s32 %rd1, %r4, 4;\n"
	"	ld.param.u64 %rd2, [x];\n"
	"	ld.param.u64 %rd3, [y];\n"
	"	ld.param.u64 %rd4, [out];\n"
	"	add.s64 %rd2, %rd2, %rd1;\n"
	"	add.s64 %rd3, %rd3, %rd1;\n"
	"	add.s64 %rd4, %rd4, %rd1;\n"
	"	ld.global.f32 %f1, [%rd2];\n"
	"	ld.global.f32 %f2, [%rd3];\n"
	"	add.rn.f32 %f3, %f1, %f2;\n"
	"	st.global.f32 [%rd4], %f3;\n"
	"DONE:\n"
	"	ret;\n"
	"}\n"
	".visible .entry nothing()\n"
	"{\n"
	"	ret;\n"
	"}\n"
	"/* *out += the sum of x, by groups of 256 that take 4096 elements at a time. */\n"
	".visible .entry sum(\n"
	"	.param .u64 .ptr .global .align 16 x,\n"
	"	.param .u64 .ptr .global .align 4 out,\n"
	"	.param .u32 n)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %r<9>;\n"
	"	.reg .f32 %f<21>;\n"
	"	.reg .b64 %rd<8>;\n"
	"	.shared .align 4 .b8 part[1024];\n"
	"	mov.u32 %r1, %ctaid.x;\n"
	"	mov.u32 %r2, %ntid.x;\n"
	"	mov.u32 %r3, %tid.x;\n"
	"	mov.u32 %r4, %nctaid.x;\n"
	"	ld.param.u32 %r5, [n];\n"
	"	shr.u32 %r5, %r5, 2;\n"
	"	mad.lo.u32 %r6, %r1, %r2, %r3;\n"
	"	mul.lo.u32 %r7, %r2, %r4;\n"
	"	ld.param.u64 %rd1, [x];\n"
	"	mul.wide.u32 %rd2, %r6, 16;\n"
	"	add.s64 %rd1, %rd1, %rd2;\n"
	"	mul.wide.u32 %rd3, %r7, 16;\n"
	"	shl.b32 %r7, %r7, 2;\n"
	"	mov.f32 %f1, 0f00000000;\n"
	"	mov.f32 %f2, %f1;\n"
	"	mov.f32 %f3, %f1;\n"
	"	mov.f32 %f4, %f1;\n"
	"LOOP:\n"
	"	ld.global.v4.f32 {%f5, %f6, %f7, %f8}, [%rd1];\n"
	"	add.s64 %rd1, %rd1, %rd3;\n"
	"	ld.global.v4.f32 {%f9, %f10, %f11, %f12}, [%rd1];\n"
	"	add.s64 %rd1, %rd1, %rd3;\n"
	"	ld.global.v4.f32 {%f13, %f14, %f15, %f16}, [%rd1];\n"
	"	add.s64 %rd1, %rd1, %rd3;\n"
	"	ld.global.v4.f32 {%f17, %f18, %f19, %f20}, [%rd1];\n"
	"	add.s64 %rd1, %rd1, %rd3;\n"
	"	add.rn.f32 %f5, %f5, %f9;\n"
	"	add.rn.f32 %f6, %f6, %f10;\n"
	"	add.rn.f32 %f7, %f7, %f11;\n"
	"	add.rn.f32 %f8, %f8, %f12;\n"
	"	add.rn.f32 %f13, %f13, %f17;\n"
	"	add.rn.f32 %f14, %f14, %f18;\n"
	"	add.rn.f32 %f15, %f15, %f19;\n"
	"	add.rn.f32 %f16, %f16, %f20;\n"
	"	add.rn.f32 %f5, %f5, %f13;\n"
	"	add.rn.f32 %f6, %f6, %f14;\n"
	"	add.rn.f32 %f7, %f7, %f15;\n"
	"	add.rn.f32 %f8, %f8, %f16;\n"
	"	add.rn.f32 %f1, %f1, %f5;\n"
	"	add.rn.f32 %f2, %f2, %f6;\n"
	"	add.rn.f32 %f3, %f3, %f7;\n"
	"	add.rn.f32 %f4, %f4, %f8;\n"
	"	add.u32 %r6, %r6, %r7;\n"
	"	setp.lt.u32 %p, %r6, %r5;\n"
	"	@%p bra LOOP;\n"
	"	add.rn.f32 %f1, %f1, %f2;\n"
	"	add.rn.f32 %f3, %f3, %f4;\n"
	"	add.rn.f32 %f1, %f1, %f3;\n"
	"	mov.u64 %rd4, part;\n"
	"	mul.wide.u32 %rd5, %r3, 4;\n"
	"	add.s64 %rd5, %rd4, %rd5;\n"
	"	st.shared.f32 [%rd5], %f1;\n"
	"	shr.u32 %r8, %r2, 1;\n"
	"TREE:\n"
	"	bar.sync 0;\n"
	"	setp.ge.u32 %p, %r3, %r8;\n"
	"	@%p bra NEXT;\n"
	"	mul.wide.u32 %rd6, %r8, 4;\n"
	"	add.s64 %rd6, %rd5, %rd6;\n"
	"	ld.shared.f32 %f1, [%rd5];\n"
	"	ld.shared.f32 %f2, [%rd6];\n"
	"	add.rn.f32 %f1, %f1, %f2;\n"
	"	st.shared.f32 [%rd5], %f1;\n"
	"NEXT:\n"
	"	shr.u32 %r8, %r8, 1;\n"
	"	setp.ne.u32 %p, %r8, 0;\n"
	"	@%p bra TREE;\n"
	"	setp.ne.u32 %p, %r3, 0;\n"
	"	@%p bra DONE;\n"
	"	ld.shared.f32 %f1, [%rd4];\n"
	"	ld.param.u64 %rd7, [out];\n"
	"	red.global.add.f32 [%rd7], %f1;\n"
	"DONE:\n"
	"	ret;\n"
	"}\n";

struct calls {
	dpr_queue *queue;
	dpr_device *device;
	const char *selector;
	int count;        /* calls per run */
	int64_t elements; /* of a large array */
	dpr_array *x, *y, *out;
	dpr_kernel *kernel;
	double seconds; /* how long the last run's submissions took */
};

static void close_calls(void *state)
{
	struct calls *c = state;

	if (!c)
		return;
	dpr_array_release(c->x);
	dpr_array_release(c->y);
	dpr_array_release(c->out);
	dpr_kernel_release(c->kernel);
	free(c);
}

static struct calls *open_calls(struct bench *bench, int count,
				struct bench_side *side,
				struct message *message)
{
	struct calls *c = calloc(1, sizeof(*c));

	if (!c) {
		message_record(message, "no memory for a row");
		return NULL;
	}
	c->queue = bench->queue;
	c->device = bench->device;
	c->selector = dpr_device_selector(bench->device);
	c->count = count;
	side->work = count;
	side->state = c;
	side->close = close_calls;
	return c;
}

/* Open a side with three arrays of BENCH_CALLS_SMALL elements. */
static struct calls *open_small(struct bench *bench, int count,
				struct bench_side *side,
				struct message *message)
{
	struct calls *c = open_calls(bench, count, side, message);
	float x[BENCH_CALLS_SMALL], y[BENCH_CALLS_SMALL];

	if (!c)
		return NULL;
	for (size_t i = 0; i < BENCH_CALLS_SMALL; i++) {
		x[i] = bench_values_x(i);
		y[i] = bench_values_y(i);
	}
	if (dpr_array_from_memory(x, DPR_SHAPE(BENCH_CALLS_SMALL), NULL,
				  DPR_FLOAT32, c->queue, &c->x) ||
	    dpr_array_from_memory(y, DPR_SHAPE(BENCH_CALLS_SMALL), NULL,
				  DPR_FLOAT32, c->queue, &c->y) ||
	    dpr_zeros(DPR_SHAPE(BENCH_CALLS_SMALL), DPR_FLOAT32, c->queue,
		      &c->out)) {
		bench_side_failed(message);
		return NULL;
	}
	return c;
}

static bool small_check(void *state, struct message *message)
{
	struct calls *c = state;
	float out[BENCH_CALLS_SMALL];

	if (dpr_array_to_memory(c->out, out, sizeof(out), NULL))
		return bench_side_failed(message);
	return bench_values_check_add(out, BENCH_CALLS_SMALL, 0,
				      "the small add", message);
}

static bool small_add_run(void *state, struct message *message)
{
	struct calls *c = state;
	const double begin = seconds_now();

	for (int i = 0; i < c->count; i++)
		if (dpr_add_into(c->x, c->y, c->out))
			return bench_side_failed(message);
	c->seconds = seconds_now() - begin;
	return dpr_queue_wait(c->queue) ? bench_side_failed(message) : true;
}

static double submissions_took(void *state)
{
	return ((struct calls *)state)->seconds;
}

bool bench_calls_small_add(struct bench *bench, struct bench_side *side,
			   struct message *message)
{
	side->run = small_add_run;
	side->took = bench->is_cpu ? NULL : submissions_took;
	side->check = small_check;
	return open_small(bench, BENCH_CALLS_QUEUED, side, message) != NULL;
}

static bool launch_wait_run(void *state, struct message *message)
{
	struct calls *c = state;

	for (int i = 0; i < c->count; i++)
		if (dpr_add_into(c->x, c->y, c->out) ||
		    dpr_queue_wait(c->queue))
			return bench_side_failed(message);
	return true;
}

bool bench_calls_launch_wait(struct bench *bench, struct bench_side *side,
			     struct message *message)
{
	side->run = launch_wait_run;
	side->check = small_check;
	return open_small(bench, bench->quick ? 10 : 100, side, message) !=
	       NULL;
}

static bool event_wait_run(void *state, struct message *message)
{
	struct calls *c = state;

	for (int i = 0; i < c->count; i++) {
		dpr_event *event;
		dpr_status status = dpr_queue_barrier(c->queue, NULL, &event);

		if (!status)
			status = dpr_event_wait(event);
		dpr_event_release(event);
		if (status)
			return bench_side_failed(message);
	}
	return true;
}

bool bench_calls_event_wait(struct bench *bench, struct bench_side *side,
			    struct message *message)
{
	side->run = event_wait_run;
	return open_calls(bench, bench->quick ? 10 : 100, side, message) !=
	       NULL;
}

static bool kernel_run(void *state, struct message *message)
{
	struct calls *c = state;
	const dpr_range range = dpr_range_local(DPR_RANGE1(BENCH_CALLS_SMALL),
						BENCH_CALLS_SMALL, 1, 1);
	const double begin = seconds_now();

	for (int i = 0; i < c->count; i++)
		if (dpr_kernel_launch(c->queue, c->kernel, range, NULL, NULL,
				      DPR_ARG(c->x), DPR_ARG(c->y),
				      DPR_ARG(c->out),
				      DPR_ARG(BENCH_CALLS_SMALL)))
			return bench_side_failed(message);
	c->seconds = seconds_now() - begin;
	return dpr_queue_wait(c->queue) ? bench_side_failed(message) : true;
}

/* Build one of the kernels above from a format that the device accepts.  If it
   accepts none, the side does not exist. */
static bool open_kernel(struct calls *c, const char *name,
			struct bench_side *side, struct message *message)
{
	const dpr_image images[] = {
		{ "ptx", NULL, bench_calls_ptx, strlen(bench_calls_ptx) + 1 },
		{ "opencl-c", NULL, bench_calls_source,
		  strlen(bench_calls_source) },
		{ "spirv", NULL, bench_ze_spirv, bench_ze_spirv_size },
	};
	dpr_program *program;
	dpr_status status;

	status = dpr_program_from_images(c->queue, images, 3, NULL, &program);
	if (status == DPR_ERROR_UNSUPPORTED)
		return bench_side_none(side, "the device takes none of "
					     "OpenCL C, PTX and SPIR-V");
	if (!status) {
		status = dpr_kernel_create(program, name, &c->kernel);
		dpr_program_release(program);
	}
	return status ? bench_side_failed(message) : true;
}

bool bench_calls_kernel(struct bench *bench, struct bench_side *side,
			struct message *message)
{
	struct calls *c = open_small(bench, BENCH_CALLS_QUEUED, side, message);

	if (!c)
		return false;
	side->run = kernel_run;
	side->took = bench->is_cpu ? NULL : submissions_took;
	side->check = small_check;
	return open_kernel(c, "add", side, message);
}

/* Time only the submissions. */
static bool launch_run(void *state, struct message *message)
{
	struct calls *c = state;
	const dpr_range range = dpr_range_local(DPR_RANGE1(BENCH_CALLS_SMALL),
						BENCH_CALLS_SMALL, 1, 1);
	const double begin = seconds_now();

	for (int i = 0; i < c->count; i++)
		if (dpr_kernel_launch_usm(c->queue, c->kernel, range, NULL,
					  NULL, NULL, 0))
			return bench_side_failed(message);
	c->seconds = seconds_now() - begin;
	return dpr_queue_wait(c->queue) ? bench_side_failed(message) : true;
}

bool bench_calls_launch(struct bench *bench, struct bench_side *side,
			struct message *message)
{
	struct calls *c = open_calls(bench, BENCH_CALLS_QUEUED, side, message);

	if (!c)
		return false;
	side->run = launch_run;
	side->took = submissions_took;
	/* This side is also used as a baseline, which needs a name. */
	if (!*side->name)
		strcpy(side->name, "the same on the whole device");
	return open_kernel(c, "nothing", side, message);
}

/* Set the device and the queue of @half to half of @bench's.  If it cannot be
   divided, *@side does not exist.  Returns false after an error. */
static bool open_half(const struct bench *bench, struct bench *half,
		      struct bench_side *side, struct message *message)
{
	uint64_t units;
	size_t n;

	*half = *bench;
	half->queue = NULL;
	if (dpr_device_info_u64(bench->device, DPR_INFO_COMPUTE_UNITS,
				&units) ||
	    units < 2 ||
	    dpr_device_partition_equally(bench->device, units / 2,
					 &half->device, 1, &n) ||
	    !n)
		return bench_side_none(side, "the device cannot be divided");
	return dpr_device_queue(half->device, &half->queue)
		       ? bench_side_failed(message)
		       : true;
}

bool bench_calls_launch_part(struct bench *bench, struct bench_side *side,
			     struct message *message)
{
	struct bench half;

	if (!open_half(bench, &half, side, message))
		return false;
	return !half.queue || bench_calls_launch(&half, side, message);
}

/* The limit is far above the rounding of any device. */
static bool tanh_check(void *state, struct message *message)
{
	struct calls *c = state;
	const double _Complex truth = ctanh(CMPLX(0.5, 0.25));
	double _Complex *out = malloc((size_t)c->elements * sizeof(*out));
	int64_t i = 0;
	bool ok;

	if (!out)
		return message_set(message, "no memory for a row");
	ok = !dpr_array_to_memory(c->out, out, dpr_array_nbytes(c->out), NULL);
	if (!ok)
		bench_side_failed(message);
	while (ok && i < c->elements && cabs(out[i] - truth) < 1e-14)
		i++;
	if (ok && i < c->elements)
		ok = message_set(message, "element %lld is wrong",
				 (long long)i);
	free(out);
	return ok;
}

static bool tanh_run(void *state, struct message *message)
{
	struct calls *c = state;

	for (int i = 0; i < c->count; i++)
		if (dpr_tanh_into(c->x, c->out))
			return bench_side_failed(message);
	return dpr_queue_wait(c->queue) ? bench_side_failed(message) : true;
}

/* tanh of complex128 has some hundred steps for each 32 bytes, so that not the
   memory but the units limit its speed. */
bool bench_calls_whole(struct bench *bench, struct bench_side *side,
		       struct message *message)
{
	struct calls *c;

	if (!dpr_device_has(bench->device, "fp64"))
		return bench_side_none(side, "no double precision");
	c = open_calls(bench, bench->quick ? 1 : 4, side, message);
	if (!c)
		return false;
	side->run = tanh_run;
	side->check = tanh_check;
	c->elements = bench->quick    ? 1 << 14
		      : bench->is_cpu ? 1 << 18
				      : 1 << 24;
	strcpy(side->name, "the same on the whole device");
	return dpr_full(DPR_SHAPE(c->elements),
			dpr_operand_complex_parts(0.5, 0.25), DPR_COMPLEX128,
			c->queue, &c->x) ||
			       dpr_zeros(DPR_SHAPE(c->elements), DPR_COMPLEX128,
					 c->queue, &c->out)
		       ? bench_side_failed(message)
		       : true;
}

/* The part may have fewer units than half, if their number is odd, or more, if
   the device rounds. */
bool bench_calls_half(struct bench *bench, struct bench_side *side,
		      struct message *message)
{
	uint64_t units, part;
	struct bench half;

	if (!open_half(bench, &half, side, message))
		return false;
	if (!half.queue)
		return true;
	if (!bench_calls_whole(&half, side, message))
		return false;
	if (dpr_device_info_u64(bench->device, DPR_INFO_COMPUTE_UNITS,
				&units) ||
	    dpr_device_info_u64(half.device, DPR_INFO_COMPUTE_UNITS, &part))
		return bench_side_failed(message);
	side->work = bench_measure_as_half(side->work, units, part);
	return true;
}

static bool by_device_run(void *state, struct message *message)
{
	struct calls *c = state;

	for (int i = 0; i < c->count; i++) {
		dpr_queue *queue;

		if (dpr_device_queue(c->device, &queue))
			return bench_side_failed(message);
		if (queue != c->queue)
			return message_set(message,
					   "dpr_device_queue() returned a "
					   "different queue than before");
	}
	return true;
}

bool bench_calls_queue_by_device(struct bench *bench, struct bench_side *side,
				 struct message *message)
{
	side->run = by_device_run;
	return open_calls(bench, bench->quick ? 1000 : 100000, side, message) !=
	       NULL;
}

static bool by_selector_run(void *state, struct message *message)
{
	struct calls *c = state;

	for (int i = 0; i < c->count; i++) {
		dpr_queue *queue;

		if (dpr_canonical_queue(c->selector, &queue))
			return bench_side_failed(message);
		if (queue != c->queue)
			return message_set(message,
					   "dpr_canonical_queue() returned a "
					   "different queue than before");
	}
	return true;
}

bool bench_calls_queue_by_selector(struct bench *bench, struct bench_side *side,
				   struct message *message)
{
	side->run = by_selector_run;
	return open_calls(bench, bench->quick ? 100 : 10000, side, message) !=
	       NULL;
}

static bool alloc_run(void *state, struct message *message)
{
	struct calls *c = state;

	for (int i = 0; i < c->count; i++) {
		dpr_array *x;

		if (dpr_empty(DPR_SHAPE(c->elements), DPR_FLOAT32, c->queue,
			      &x))
			return bench_side_failed(message);
		dpr_array_release(x);
	}
	return true;
}

static bool open_alloc(struct bench *bench, size_t size,
		       struct bench_side *side, struct message *message)
{
	struct calls *c =
		open_calls(bench, bench->quick ? 10 : 1000, side, message);

	if (!c)
		return false;
	side->run = alloc_run;
	c->elements = (int64_t)(size / sizeof(float));
	return true;
}

bool bench_calls_alloc(struct bench *bench, struct bench_side *side,
		       struct message *message)
{
	return open_alloc(bench, BENCH_CALLS_ALLOC, side, message);
}

bool bench_calls_alloc_large(struct bench *bench, struct bench_side *side,
			     struct message *message)
{
	return open_alloc(bench, BENCH_CALLS_ALLOC_LARGE, side, message);
}
