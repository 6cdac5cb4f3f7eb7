/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_cl_arrays.c - hand-written OpenCL programs for the large rows: several
 * kernels and local sizes are tried, and the fastest is the baseline.
 */
#include "tools/bench/bench_cl_arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench_cl.h"
#include "tools/bench/bench_measure.h"
#include "tools/bench/bench_values.h"

/* How a programmer would add two arrays: an element or a vector per work-item,
   or a loop over many. */
static const char add_source[] =
	"#define ARGS global const float *x, global const float *y, \\\n"
	"	global float *out, const uint n\n"
	"kernel void one(ARGS)\n"
	"{\n"
	"	const size_t i = get_global_id(0);\n"
	"	if (i < n)\n"
	"		out[i] = x[i] + y[i];\n"
	"}\n"
	"kernel void unchecked(ARGS)\n"
	"{\n"
	"	const size_t i = get_global_id(0);\n"
	"	out[i] = x[i] + y[i];\n"
	"}\n"
	"#define VECTOR(w) \\\n"
	"kernel void vector##w(ARGS) \\\n"
	"{ \\\n"
	"	const size_t i = get_global_id(0); \\\n"
	"	((global float##w *)out)[i] = \\\n"
	"		((global const float##w *)x)[i] + \\\n"
	"		((global const float##w *)y)[i]; \\\n"
	"}\n"
	"VECTOR(4) VECTOR(8) VECTOR(16)\n"
	"#define LOOP(count) \\\n"
	"kernel void loop##count(ARGS) \\\n"
	"{ \\\n"
	"	const size_t at = get_global_id(0) * count; \\\n"
	"	for (size_t i = at; i < at + count; i++) \\\n"
	"		out[i] = x[i] + y[i]; \\\n"
	"}\n"
	"LOOP(256) LOOP(4096)\n"
	"kernel void loopvector(ARGS)\n"
	"{\n"
	"	const size_t at = get_global_id(0) * 256;\n"
	"	for (size_t i = at; i < at + 256; i++)\n"
	"		((global float16 *)out)[i] =\n"
	"			((global const float16 *)x)[i] +\n"
	"			((global const float16 *)y)[i];\n"
	"}\n"
	/* Stores that bypass the caches, if the compiler has them. */
	"#ifdef __has_builtin\n"
	"#if __has_builtin(__builtin_nontemporal_store)\n"
	"#define STREAM(v, p) __builtin_nontemporal_store((v), (p))\n"
	"#endif\n"
	"#endif\n"
	"#ifndef STREAM\n"
	"#define STREAM(v, p) (*(p) = (v))\n"
	"#endif\n"
	"#define STREAMS(w) \\\n"
	"kernel void stream##w(ARGS) \\\n"
	"{ \\\n"
	"	const size_t at = get_global_id(0) * (4096 / w); \\\n"
	"	for (size_t i = at; i < at + 4096 / w; i++) \\\n"
	"		STREAM(((global const float##w *)x)[i] + \\\n"
	"			((global const float##w *)y)[i], \\\n"
	"			(global float##w *)out + i); \\\n"
	"}\n"
	"STREAMS(8) STREAMS(16)\n"
	"kernel void grid(ARGS)\n"
	"{\n"
	"	for (size_t i = get_global_id(0); i < n / 4;\n"
	"	     i += get_global_size(0))\n"
	"		((global float4 *)out)[i] =\n"
	"			((global const float4 *)x)[i] +\n"
	"			((global const float4 *)y)[i];\n"
	"}\n";

/*
 * Sums in two kernels. chunk: a work-item adds neighbours in vectors of 16,
 * which is fast on CPUs.  tree: the work-items of a group add vectors of 4 in
 * turns, which is fast on GPUs.  The second kernel has one group in both cases.
 */
static const char sum_source[] =
	"#define CHUNK(name, count, extra) \\\n"
	"kernel void name(global const float *x, global float *part, \\\n"
	"	const uint n) \\\n"
	"{ \\\n"
	"	const size_t id = get_global_id(0); \\\n"
	"	const size_t each = n / get_global_size(0) / 16; \\\n"
	"	global const float16 *p = (global const float16 *)x + \\\n"
	"		id * each; \\\n"
	"	float16 s[count]; \\\n"
	"	for (int k = 0; k < count; k++) \\\n"
	"		s[k] = (float16)0; \\\n"
	"	for (size_t i = 0; i < each; i += count) \\\n"
	"		for (int k = 0; k < count; k++) \\\n"
	"			s[k] += p[i + k]; \\\n"
	"	for (int k = 1; k < count; k++) \\\n"
	"		s[0] += s[k]; \\\n"
	"	const float8 a = s[0].lo + s[0].hi; \\\n"
	"	const float4 b = a.lo + a.hi; \\\n"
	"	part[id] = b.x + b.y + b.z + b.w; \\\n"
	"}\n"
	"CHUNK(chunk1, 1, 0) CHUNK(chunk2, 2, 0) CHUNK(chunk4, 4, 0)\n"
	"#define TREE(v) \\\n"
	"	local float s[1024]; \\\n"
	"	const size_t me = get_local_id(0); \\\n"
	"	s[me] = (v); \\\n"
	"	barrier(CLK_LOCAL_MEM_FENCE); \\\n"
	"	for (size_t w = get_local_size(0) / 2; w; w /= 2) { \\\n"
	"		if (me < w) \\\n"
	"			s[me] += s[me + w]; \\\n"
	"		barrier(CLK_LOCAL_MEM_FENCE); \\\n"
	"	} \\\n"
	"	if (!me) \\\n"
	"		out[get_group_id(0)] = s[0]\n"
	"kernel void tree(global const float *x, global float *out,\n"
	"	const uint n)\n"
	"{\n"
	"	const size_t step = get_global_size(0);\n"
	"	float4 a = 0, b = 0;\n"
	"	size_t i = get_global_id(0);\n"
	"	for (; i + step < n / 4; i += 2 * step) {\n"
	"		a += ((global const float4 *)x)[i];\n"
	"		b += ((global const float4 *)x)[i + step];\n"
	"	}\n"
	"	if (i < n / 4)\n"
	"		a += ((global const float4 *)x)[i];\n"
	"	a += b;\n"
	"	TREE(a.x + a.y + a.z + a.w);\n"
	"}\n"
	"kernel void last(global const float *x, global float *out,\n"
	"	const uint n)\n"
	"{\n"
	"	float a = 0;\n"
	"	for (uint i = get_local_id(0); i < n; i += get_local_size(0))\n"
	"		a += x[i];\n"
	"	TREE(a);\n"
	"}\n"
	"kernel void serial(global const float *x, global float *out,\n"
	"	const uint n)\n"
	"{\n"
	"	float a = 0;\n"
	"	for (uint i = 0; i < n; i++)\n"
	"		a += x[i];\n"
	"	*out = a;\n"
	"}\n";

/* A variant: `each` elements per work-item; 0: a fixed number of groups. */
struct variant {
	const char *name;
	size_t each, local, groups;
	enum { ANY, CPU_ONLY, GPU_ONLY } where;
};

static const struct variant add_variants[] = {
	{ "one", 1, 64, 0, ANY },
	{ "one", 1, 256, 0, ANY },
	{ "one", 1, 1024, 0, ANY },
	{ "one", 1, 4096, 0, CPU_ONLY },
	{ "unchecked", 1, 256, 0, ANY },
	{ "unchecked", 1, 4096, 0, CPU_ONLY },
	{ "vector4", 4, 64, 0, ANY },
	{ "vector4", 4, 256, 0, ANY },
	{ "vector4", 4, 1024, 0, ANY },
	{ "vector8", 8, 256, 0, ANY },
	{ "vector16", 16, 64, 0, ANY },
	{ "vector16", 16, 256, 0, ANY },
	{ "loop256", 256, 16, 0, CPU_ONLY },
	{ "loop4096", 4096, 16, 0, CPU_ONLY },
	{ "loop4096", 4096, 64, 0, CPU_ONLY },
	{ "loopvector", 4096, 16, 0, CPU_ONLY },
	{ "stream8", 4096, 16, 0, CPU_ONLY },
	{ "stream16", 4096, 16, 0, CPU_ONLY },
	{ "grid", 0, 256, 1056, GPU_ONLY },
	{ "grid", 0, 1024, 264, GPU_ONLY },
};

static const struct variant sum_variants[] = {
	{ "chunk1", 0, 1, 64, CPU_ONLY },   { "chunk2", 0, 1, 64, CPU_ONLY },
	{ "chunk4", 0, 1, 64, CPU_ONLY },   { "chunk1", 0, 16, 16, CPU_ONLY },
	{ "chunk2", 0, 16, 16, CPU_ONLY },  { "chunk4", 0, 16, 16, CPU_ONLY },
	{ "chunk4", 0, 16, 64, CPU_ONLY },  { "tree", 0, 256, 512, ANY },
	{ "tree", 0, 256, 1056, GPU_ONLY }, { "tree", 0, 256, 2112, GPU_ONLY },
	{ "tree", 0, 512, 528, GPU_ONLY },  { "tree", 0, 1024, 264, GPU_ONLY },
};

enum { MOST_VARIANTS = 32, PARTS = 8192 };

/* The state of a baseline. */
struct baseline {
	struct bench_cl *cl;
	uint32_t n; /* elements */
	struct cl_memory x, y, out, part;
	void *program;
	const struct variant *variant[MOST_VARIANTS];
	void *kernel[MOST_VARIANTS], *last;
	size_t last_local;
	int n_variants, chosen;
	int batch; /* calls per run */
};

static void close_baseline(void *state)
{
	struct baseline *f = state;
	int i;

	if (!f)
		return;
	for (i = 0; i < f->n_variants; i++)
		f->cl->cl.clReleaseKernel(f->kernel[i]);
	if (f->last)
		f->cl->cl.clReleaseKernel(f->last);
	if (f->program)
		f->cl->cl.clReleaseProgram(f->program);
	bench_cl_free(f->cl, &f->x);
	bench_cl_free(f->cl, &f->y);
	bench_cl_free(f->cl, &f->out);
	bench_cl_free(f->cl, &f->part);
	free(f);
}

static bool fill(struct baseline *f, struct cl_memory *memory,
		 float (*value)(size_t), struct message *message)
{
	const size_t size = (size_t)f->n * sizeof(float);
	float *values = bench_values_new(f->n, value, message);
	bool ok = values && bench_cl_alloc(f->cl, size, memory, message) &&
		  bench_cl_write(f->cl, memory, values, size, message);

	free(values);
	return ok;
}

/* Get the global size of a variant; false if size or device do not suit it. */
static bool range_of(const struct baseline *f, const struct variant *v,
		     size_t *global)
{
	*global = v->each ? f->n / v->each : v->groups * v->local;
	if (v->local > f->cl->max_local || *global % v->local)
		return false;
	if (v->each)
		return f->n % v->each == 0;
	/* The "chunk" kernels read up to four vectors of 16 at a time; the
	   others read one vector of 4. */
	return f->n % (strncmp(v->name, "chunk", 5) ? 4 : *global * 64) == 0;
}

static bool make_kernels(struct baseline *f, const char *source,
			 const struct variant *variants, size_t n,
			 struct message *message)
{
	size_t i, global;
	int32_t code;

	f->program = bench_cl_build(f->cl, source, "-cl-std=CL1.2", message);
	if (!f->program)
		return false;
	for (i = 0; i < n; i++) {
		const int k = f->n_variants;

		if (variants[i].where == (f->cl->is_cpu ? GPU_ONLY : CPU_ONLY))
			continue;
		if (!range_of(f, &variants[i], &global))
			continue;
		f->variant[k] = &variants[i];
		f->kernel[k] = f->cl->cl.clCreateKernel(
			f->program, variants[i].name, &code);
		if (!f->kernel[k])
			return bench_cl_failed(message, "clCreateKernel", code);
		f->n_variants++;
	}
	return f->n_variants
		       ? true
		       : message_set(message, "no baseline suits this size; "
					      "take a multiple of 1M");
}

static bool open_baseline(struct bench *bench, struct bench_side *side,
			  struct baseline **out, struct message *message)
{
	struct baseline *f = calloc(1, sizeof(*f));

	*out = f;
	if (!f)
		return message_set(message, "no memory for a baseline");
	side->state = f;
	side->close = close_baseline;
	f->cl = bench->cl;
	f->n = (uint32_t)(bench->bytes / sizeof(float));
	f->batch = bench->batch;
	return fill(f, &f->x, bench_values_x, message);
}

/* Choose the fastest variant, and name it. */
static bool choose(struct bench *bench, struct bench_side *side,
		   struct message *message)
{
	struct baseline *f = side->state;

	if (!bench_measure_choose(bench, side, f->n_variants, &f->chosen,
				  message))
		return false;
	snprintf(side->name, sizeof(side->name), "best of %d: %s, local %zu",
		 f->n_variants, f->variant[f->chosen]->name,
		 f->variant[f->chosen]->local);
	return true;
}

/* --- Add -------------------------------------------------------------------
 */

static int32_t add_once(struct baseline *f)
{
	const struct cl_entries *cl = &f->cl->cl;
	void *kernel = f->kernel[f->chosen];
	int32_t code = bench_cl_set_memory(f->cl, kernel, 0, &f->x);
	size_t global;

	range_of(f, f->variant[f->chosen], &global);
	code = code ? code : bench_cl_set_memory(f->cl, kernel, 1, &f->y);
	code = code ? code : bench_cl_set_memory(f->cl, kernel, 2, &f->out);
	code = code ? code : cl->clSetKernelArg(kernel, 3, 4, &f->n);
	return code ? code
		    : cl->clEnqueueNDRangeKernel(
			      f->cl->queue, kernel, 1, NULL, &global,
			      &f->variant[f->chosen]->local, 0, NULL, NULL);
}

static bool add_run(void *state, struct message *message)
{
	struct baseline *f = state;
	int32_t code = 0;

	for (int i = 0; i < f->batch && !code; i++)
		code = add_once(f);
	code = code ? code : f->cl->cl.clFinish(f->cl->queue);
	return code ? bench_cl_failed(message, "add", code) : true;
}

static bool add_check(void *state, struct message *message)
{
	struct baseline *f = state;
	const size_t size = (size_t)f->n * sizeof(float);
	float *sum = malloc(size);
	bool ok = sum && bench_cl_read(f->cl, sum, &f->out, size, message) &&
		  bench_values_check_add(sum, f->n, 0, "the baseline's add",
					 message);

	free(sum);
	return ok;
}

bool bench_cl_arrays_add(struct bench *bench, struct bench_side *side,
			 struct message *message)
{
	struct baseline *f;

	side->run = add_run;
	side->check = add_check;
	side->work = 3.0 * (double)bench->bytes * bench->batch;
	return open_baseline(bench, side, &f, message) &&
	       fill(f, &f->y, bench_values_y, message) &&
	       bench_cl_alloc(f->cl, bench->bytes, &f->out, message) &&
	       make_kernels(f, add_source, add_variants,
			    sizeof(add_variants) / sizeof(add_variants[0]),
			    message) &&
	       choose(bench, side, message);
}

/* --- Sum -------------------------------------------------------------------
 */

static int32_t sum_pass(struct baseline *f, void *kernel,
			struct cl_memory *from, struct cl_memory *to,
			uint32_t n, size_t global, size_t local)
{
	const struct cl_entries *cl = &f->cl->cl;
	int32_t code = bench_cl_set_memory(f->cl, kernel, 0, from);

	code = code ? code : bench_cl_set_memory(f->cl, kernel, 1, to);
	code = code ? code : cl->clSetKernelArg(kernel, 2, 4, &n);
	return code ? code
		    : cl->clEnqueueNDRangeKernel(f->cl->queue, kernel, 1, NULL,
						 &global, &local, 0, NULL,
						 NULL);
}

static bool sum_run(void *state, struct message *message)
{
	struct baseline *f = state;
	const struct variant *v = f->variant[f->chosen];
	const bool is_tree = !strcmp(v->name, "tree");
	size_t global = v->groups * v->local;
	int32_t code = 0;

	for (int i = 0; i < f->batch && !code; i++) {
		code = sum_pass(f, f->kernel[f->chosen], &f->x, &f->part, f->n,
				global, v->local);
		code = code ? code
			    : sum_pass(f, f->last, &f->part, &f->out,
				       (uint32_t)(is_tree ? v->groups : global),
				       f->last_local, f->last_local);
	}
	code = code ? code : f->cl->cl.clFinish(f->cl->queue);
	return code ? bench_cl_failed(message, "sum", code) : true;
}

static bool sum_check(void *state, struct message *message)
{
	struct baseline *f = state;
	float sum = 0;

	return bench_cl_read(f->cl, &sum, &f->out, sizeof(sum), message) &&
	       bench_values_check_sum(sum, f->n, "the baseline's sum", message);
}

bool bench_cl_arrays_sum(struct bench *bench, struct bench_side *side,
			 struct message *message)
{
	struct baseline *f;
	int32_t code;

	side->run = sum_run;
	side->check = sum_check;
	side->work = (double)bench->bytes * bench->batch;
	if (!open_baseline(bench, side, &f, message) ||
	    !bench_cl_alloc(f->cl, sizeof(float), &f->out, message) ||
	    !bench_cl_alloc(f->cl, PARTS * sizeof(float), &f->part, message) ||
	    !make_kernels(f, sum_source, sum_variants,
			  sizeof(sum_variants) / sizeof(sum_variants[0]),
			  message))
		return false;
	f->last_local = f->cl->is_cpu ? 1 : 256;
	f->last = f->cl->cl.clCreateKernel(
		f->program, f->cl->is_cpu ? "serial" : "last", &code);
	if (!f->last)
		return bench_cl_failed(message, "clCreateKernel", code);
	return choose(bench, side, message);
}
