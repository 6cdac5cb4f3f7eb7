/* SPDX-License-Identifier: Apache-2.0 */
/* cumock_kernels.c - launches, and the functions that do the work of
   kernels. */
#include "cumock_impl.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FUNCTIONS 64

static struct {
	const char *name;
	cumock_function function;
} functions[MOST_FUNCTIONS];
static cumock_function otherwise; /* for all names without one */

/* --- Kernels of tests --- */

/* x[i] += 1: (int *x, uint64_t n) */
static int add_one(const struct cumock_run *run)
{
	uint64_t n, i;
	int *x;

	memcpy(&x, run->params, sizeof(x));
	memcpy(&n, run->params + 8, sizeof(n));
	if (!cumock_control.reaches(run->device, x, n * sizeof(*x)))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	for (i = 0; i < n; i++)
		x[i]++;
	return 0;
}

/* x[i] = i for all work-items: (int *x) */
static int store_global_id(const struct cumock_run *run)
{
	uint64_t n = (uint64_t)run->grid[0] * run->block[0], i;
	int *x;

	memcpy(&x, run->params, sizeof(x));
	if (!cumock_control.reaches(run->device, x, n * sizeof(*x)))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	for (i = 0; i < n; i++)
		x[i] = (int)i;
	return 0;
}

/* list[++list[0]] = value: (int *list, int value).  The list shows in which
   order kernels ran. */
static int append(const struct cumock_run *run)
{
	int *list, value;

	memcpy(&list, run->params, sizeof(list));
	memcpy(&value, run->params + 8, sizeof(value));
	if (!cumock_control.reaches(run->device, list, sizeof(*list)))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	list[__atomic_add_fetch(&list[0], 1, __ATOMIC_RELAXED)] = value;
	return 0;
}

static int fault(const struct cumock_run *run)
{
	(void)run;
	return CUDA_ERROR_ILLEGAL_ADDRESS;
}

static int nothing(const struct cumock_run *run)
{
	(void)run;
	return 0;
}

/* --- Kernels of the plugin contract --- */

/* y[i] += a * x[i]: (float a, x, y, uint64_t n) */
static int axpy(const struct cumock_run *run)
{
	float a, *at[2];
	uint64_t n, i;

	memcpy(&a, run->params, sizeof(a));
	memcpy(at, run->params + 8, sizeof(at));
	memcpy(&n, run->params + 24, sizeof(n));
	if (!cumock_control.reaches(run->device, at[0], n * sizeof(float)) ||
	    !cumock_control.reaches(run->device, at[1], n * sizeof(float)))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	for (i = 0; i < n; i++)
		at[1][i] += a * at[0][i];
	return 0;
}

/* to[i] = from[i]: (int *to, int *from, uint64_t n) */
static int copy(const struct cumock_run *run)
{
	int *at[2];
	uint64_t n;

	memcpy(at, run->params, sizeof(at));
	memcpy(&n, run->params + sizeof(at), sizeof(n));
	if (!cumock_control.reaches(run->device, at[0], n * sizeof(int)) ||
	    !cumock_control.reaches(run->device, at[1], n * sizeof(int)))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	memcpy(at[0], at[1], n * sizeof(int));
	return 0;
}

/* x[i] = i: (int *x, uint64_t n) */
static int fill_index(const struct cumock_run *run)
{
	uint64_t n, i;
	int *x;

	memcpy(&x, run->params, sizeof(x));
	memcpy(&n, run->params + 8, sizeof(n));
	if (!cumock_control.reaches(run->device, x, n * sizeof(*x)))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	for (i = 0; i < n; i++)
		x[i] = (int)i;
	return 0;
}

/* x[s.index] = s.value: (int *x, struct { int64_t index; int value, pad; }) */
static int store(const struct cumock_run *run)
{
	int64_t index;
	int *x, value;

	memcpy(&x, run->params, sizeof(x));
	memcpy(&index, run->params + 8, sizeof(index));
	memcpy(&value, run->params + 16, sizeof(value));
	if (!cumock_control.reaches(run->device, x + index, sizeof(*x)))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	x[index] = value;
	return 0;
}

/* Takes a moment for each of n: (int *x, uint64_t n) */
static int spin(const struct cumock_run *run)
{
	uint64_t n, i;
	uint32_t v;
	int *x;

	memcpy(&x, run->params, sizeof(x));
	memcpy(&n, run->params + 8, sizeof(n));
	if (!cumock_control.reaches(run->device, x, sizeof(*x)))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	v = (uint32_t)*x;
	for (i = 0; i < n; i++)
		v = v * 1664525u + (uint32_t)i;
	*x = (int)v;
	return 0;
}

/* x[index] += 1 for each index of a box: (int *x, uint64_t w, h, d) */
static int visit(const struct cumock_run *run)
{
	uint64_t box[3], i, n;
	int *x;

	memcpy(&x, run->params, sizeof(x));
	memcpy(box, run->params + sizeof(x), sizeof(box));
	n = box[0] * box[1] * box[2];
	if (!cumock_control.reaches(run->device, x, n * sizeof(*x)))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	for (i = 0; i < 3; i++)
		if ((uint64_t)run->grid[i] * run->block[i] < box[i])
			return CUDA_ERROR_ILLEGAL_ADDRESS;
	for (i = 0; i < n; i++)
		x[i]++;
	return 0;
}

/* --- Kernels of dpr bench --- */

static int add_floats(const struct cumock_run *run, float *to, const float *x,
		      const float *y, uint64_t n)
{
	uint64_t i, size = n * sizeof(float);

	if (!cumock_control.reaches(run->device, to, size) ||
	    !cumock_control.reaches(run->device, x, size) ||
	    !cumock_control.reaches(run->device, y, size))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	for (i = 0; i < n; i++)
		to[i] = x[i] + y[i];
	return 0;
}

/* (x, y, out, int n) */
static int add(const struct cumock_run *run)
{
	float *at[3];
	uint32_t n;

	memcpy(at, run->params, sizeof(at));
	memcpy(&n, run->params + sizeof(at), sizeof(n));
	return add_floats(run, at[2], at[0], at[1], n);
}

/* *out += the sum of x: (x, out, int n) */
static int sum(const struct cumock_run *run)
{
	double all = 0;
	float *at[2];
	uint32_t n, i;

	memcpy(at, run->params, sizeof(at));
	memcpy(&n, run->params + sizeof(at), sizeof(n));
	if (!cumock_control.reaches(run->device, at[0], n * sizeof(float)) ||
	    !cumock_control.reaches(run->device, at[1], sizeof(float)))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	for (i = 0; i < n; i++)
		all += (double)at[0][i];
	*at[1] += (float)all;
	return 0;
}

static const struct {
	const char *name;
	cumock_function function;
} built_in[] = {
	{ "add_one", add_one }, { "axpy", axpy },
	{ "copy", copy },       { "fill_index", fill_index },
	{ "store", store },     { "store_global_id", store_global_id },
	{ "append", append },   { "fault", fault },
	{ "nothing", nothing }, { "add", add },
	{ "sum", sum },         { "spin", spin },
	{ "visit", visit },
};

static cumock_function find(const char *name)
{
	size_t i;

	for (i = 0; i < MOST_FUNCTIONS && functions[i].name; i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	for (i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++)
		if (!strcmp(built_in[i].name, name))
			return built_in[i].function;
	return otherwise;
}

void cumock_kernels_set(const char *name, cumock_function function)
{
	size_t i;

	pthread_mutex_lock(&cumock.lock);
	for (i = 0; name && i < MOST_FUNCTIONS - 1 && functions[i].name; i++)
		if (!strcmp(functions[i].name, name))
			break;
	if (name) {
		functions[i].name = name;
		functions[i].function = function;
	} else {
		otherwise = function;
	}
	pthread_mutex_unlock(&cumock.lock);
}

/* --- Launches --- */

static CUresult run_kernel(struct operation *op)
{
	return (CUresult)op->function(&op->launch);
}

/* Get a kernel by its own handle or by that of a context's function. */
static struct kernel *get_kernel(CUfunction handle, CUresult *error)
{
	struct function *function = (struct function *)handle;

	if (!*error && function && function->handle.magic == MAGIC_FUNCTION) {
		function = cumock_handle_get(handle, MAGIC_FUNCTION, error);
		return function ? function->kernel : NULL;
	}
	return cumock_handle_get(handle, MAGIC_KERNEL, error);
}

static CUresult check_sizes(const struct kernel *kernel,
			    const struct cumock_run *run)
{
	static const unsigned most_grid[3] = { 2147483647, 65535, 65535 };
	static const unsigned most_block[3] = { 1024, 1024, 64 };
	uint64_t threads = 1;
	int i;

	for (i = 0; i < 3; i++) {
		if (!run->grid[i] || run->grid[i] > most_grid[i] ||
		    !run->block[i] || run->block[i] > most_block[i] ||
		    (kernel->need[i] && kernel->need[i] != run->block[i]))
			return CUDA_ERROR_INVALID_VALUE;
		threads *= run->block[i];
	}
	if (threads > (kernel->most ? kernel->most : 1024) ||
	    run->shared > (unsigned)kernel->shared)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* Copy the parameters from the places that @params lists, and the name. */
static CUresult take_params(const struct kernel *kernel, void **params,
			    struct operation *op)
{
	const size_t name_size = strlen(kernel->name) + 1;
	unsigned char *bytes = calloc(1, kernel->bytes + name_size);
	size_t i;

	if (!bytes)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (i = 0; i < kernel->n_params; i++)
		memcpy(bytes + kernel->offsets[i], params[i], kernel->sizes[i]);
	memcpy(bytes + kernel->bytes, kernel->name, name_size);
	op->owned = bytes;
	op->launch.name = (const char *)bytes + kernel->bytes;
	op->launch.params = bytes;
	op->launch.size = kernel->bytes;
	return CUDA_SUCCESS;
}

static CUresult launch(struct kernel *kernel, struct stream *stream,
		       const struct cumock_run *run, void **params)
{
	cumock_function function = find(kernel->name);
	CUresult error = check_sizes(kernel, run);
	struct operation *op;

	if (!error && kernel->n_params && !params)
		error = CUDA_ERROR_INVALID_VALUE;
	if (!error && !function)
		error = cumock_misuse(CUDA_ERROR_NOT_SUPPORTED,
				      "the mock has no function for %s",
				      kernel->name);
	if (error)
		return error;
	cumock_library_load(
		kernel->library,
		cumock_context_primary(stream->handle.context->device));
	op = cumock_stream_add(stream);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->launch = *run;
	op->launch.device = stream->handle.context->device->number;
	error = take_params(kernel, params, op);
	if (!error) {
		op->function = function;
		op->run = run_kernel;
	}
	return error;
}

CUresult cumock_cuLaunchKernel(CUfunction handle, unsigned grid_x,
			       unsigned grid_y, unsigned grid_z,
			       unsigned block_x, unsigned block_y,
			       unsigned block_z, unsigned shared,
			       CUstream stream_handle, void **params,
			       void **extra)
{
	const struct cumock_run run = { { grid_x, grid_y, grid_z },
					{ block_x, block_y, block_z },
					shared,
					0,
					NULL,
					0,
					NULL };
	CUresult error = cumock_begin(CUMOCK_cuLaunchKernel);
	struct kernel *kernel = get_kernel(handle, &error);
	struct stream *stream = cumock_stream_get(stream_handle, &error);

	if (!error && extra)
		error = cumock_misuse(CUDA_ERROR_NOT_SUPPORTED,
				      "the mock takes kernelParams alone");
	if (!error)
		error = launch(kernel, stream, &run, params);
	return cumock_end(error);
}
