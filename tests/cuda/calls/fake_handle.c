/* SPDX-License-Identifier: Apache-2.0 */
/* fake_handle.c - handles, streams and numbers of the libraries in place of
   cuBLAS and cuSOLVER. */
#include "tests/cuda/calls/fake_impl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/calls/fake_help.h"

FAKE_EXPORT struct fake_cublas fake_cublas = { .version = { 13, 1, 2 },
					       .solver_version = { 12, 0, 9 } };

#define WORKSPACE 64

const struct fake_statuses fake_blas_statuses = { 1, 3, 7, 13, 14 };
const struct fake_statuses fake_solver_statuses = { 1, 2, 3, 6, 7 };

static const struct fake_statuses *statuses_of(uint32_t magic)
{
	return magic == FAKE_BLAS ? &fake_blas_statuses : &fake_solver_statuses;
}

/* All handles, also those that the program will not destroy: a tool then finds
   no lost memory. */
static struct fake_handle *handles;
static pthread_mutex_t handles_lock = PTHREAD_MUTEX_INITIALIZER;

/* Entries of the driver. */
static struct {
	PFN_cuCtxGetCurrent_v4000 cuCtxGetCurrent;
	PFN_cuStreamGetCtx_v9020 cuStreamGetCtx;
	PFN_cuLaunchHostFunc_v10000 cuLaunchHostFunc;
	PFN_cuMemAlloc_v3020 cuMemAlloc;
	PFN_cuMemFree_v3020 cuMemFree;
} cu;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	CUdriverProcAddressQueryResult result;
	PFN_cuGetProcAddress_v12000 get;

	*(void **)&get = dlsym(library, "cuGetProcAddress_v2");
#define FIND(name, version) get(#name, (void **)&cu.name, version, 0, &result)
	FIND(cuCtxGetCurrent, 4000);
	FIND(cuStreamGetCtx, 9020);
	FIND(cuLaunchHostFunc, 10000);
	FIND(cuMemAlloc, 3020);
	FIND(cuMemFree, 3020);
#undef FIND
	fake_help_install(library);
}

int fake_misuse(int status, const char *text)
{
	atomic_fetch_add(&fake_cublas.faults, 1);
	fake_cublas.fault = text;
	return status;
}

int fake_answer(const char *entry)
{
	if (fake_cublas.fail && !strcmp(fake_cublas.fail, entry))
		return fake_cublas.result;
	if (fake_cublas.after && atomic_fetch_sub(&fake_cublas.after, 1) == 1) {
		fake_cublas.failed = entry;
		return fake_cublas.result;
	}
	return 0;
}

/* --- Handles -------------------------------------------------------------- */

int fake_begin(struct fake_handle *handle, uint32_t magic)
{
	CUcontext now = NULL;

	if (!handle || handle->magic != magic)
		return fake_misuse(statuses_of(magic)->not_initialized,
				   "no handle");
	if (atomic_exchange(&handle->busy, true))
		return fake_misuse(statuses_of(magic)->internal,
				   "a handle in use");
	if (cu.cuCtxGetCurrent(&now) || now != handle->context) {
		handle->busy = false;
		return fake_misuse(statuses_of(magic)->internal,
				   "not the handle's context");
	}
	return 0;
}

void fake_end(struct fake_handle *handle)
{
	handle->busy = false;
}

int fake_create(void **out, uint32_t magic, const char *entry)
{
	struct fake_handle *handle;
	CUcontext now = NULL;
	int result = fake_answer(entry);

	*out = NULL;
	if (result)
		return result;
	pthread_once(&once, find_driver);
	if (cu.cuCtxGetCurrent(&now) || !now)
		return fake_misuse(statuses_of(magic)->not_initialized,
				   "no context");
	handle = calloc(1, sizeof(*handle));
	if (!handle || cu.cuMemAlloc(&handle->workspace, WORKSPACE)) {
		free(handle);
		return statuses_of(magic)->alloc_failed;
	}
	handle->magic = magic;
	handle->context = now;
	pthread_mutex_lock(&handles_lock);
	handle->next = handles;
	handles = handle;
	pthread_mutex_unlock(&handles_lock);
	atomic_fetch_add(&fake_cublas.handles, 1);
	if (magic == FAKE_BLAS)
		atomic_fetch_add(&fake_cublas.made, 1);
	else
		atomic_fetch_add(&fake_cublas.solvers, 1);
	*out = handle;
	return 0;
}

int fake_destroy(void *out, uint32_t magic)
{
	struct fake_handle *handle = out, **at = &handles;
	int result = fake_begin(handle, magic);

	if (result)
		return result;
	/* The queues are gone by now, and their streams. */
	if (handle->stream)
		fake_misuse(0, "a handle with a stream that is gone");
	cu.cuMemFree(handle->workspace);
	pthread_mutex_lock(&handles_lock);
	while (*at != handle)
		at = &(*at)->next;
	*at = handle->next;
	pthread_mutex_unlock(&handles_lock);
	handle->magic = 0;
	free(handle);
	atomic_fetch_sub(&fake_cublas.handles, 1);
	return 0;
}

int fake_set_stream(void *out, CUstream stream, uint32_t magic,
		    const char *entry)
{
	struct fake_handle *handle = out;
	CUcontext owner = NULL;
	int result = fake_begin(handle, magic);

	if (result)
		return result;
	result = stream ? fake_answer(entry) : 0;
	if (!result && stream && cu.cuStreamGetCtx(stream, &owner))
		result = statuses_of(magic)->internal;
	if (!result && stream && owner != handle->context)
		result = fake_misuse(statuses_of(magic)->invalid,
				     "a stream of another context");
	if (!result)
		handle->stream = stream;
	fake_end(handle);
	return result;
}

/* The copy of a job. */
struct work {
	void (*run)(const void *job);
	_Alignas(16) unsigned char job[];
};

static void run_work(void *user)
{
	struct work *work = user;

	work->run(work->job);
	free(work);
}

int fake_submit(void *out, uint32_t magic, const char *entry,
		void (*run)(const void *job), const void *job, size_t size)
{
	struct fake_handle *handle = out;
	struct work *work;
	int result = fake_begin(handle, magic);

	if (result)
		return result;
	result = fake_answer(entry);
	if (!result && !handle->stream)
		result = fake_misuse(statuses_of(magic)->invalid,
				     "the default stream");
	if (!result) {
		work = malloc(sizeof(*work) + size);
		if (work) {
			work->run = run;
			memcpy(work->job, job, size);
		}
		if (!work ||
		    cu.cuLaunchHostFunc(handle->stream, run_work, work)) {
			free(work);
			result = statuses_of(magic)->execution_failed;
		}
	}
	fake_end(handle);
	return result;
}

/* --- Numbers -------------------------------------------------------------- */

/* The value of a number of 16 bits whose exponent has 5 or 8 bits.  Tests use
   no NaN, no infinity and no subnormal number. */
static float narrow_value(uint16_t bits, bool is_bfloat)
{
	const uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
	uint32_t wide = (uint32_t)bits << 16;
	float value;

	if (!is_bfloat)
		wide = bits & 0x7fff
			       ? sign | (((uint32_t)(bits & 0x7fff) << 13) +
					 (112u << 23))
			       : sign;
	memcpy(&value, &wide, sizeof(value));
	return value;
}

/* The reverse, for numbers that have no more bits. */
static uint16_t narrow_bits(float value, bool is_bfloat)
{
	uint16_t bits;
	uint32_t wide;

	memcpy(&wide, &value, sizeof(wide));
	bits = (uint16_t)(wide >> 16);
	if (!is_bfloat && value != 0)
		bits = (uint16_t)((wide >> 16 & 0x8000) |
				  ((wide & 0x7fffffff) - (112u << 23)) >> 13);
	if (narrow_value(bits, is_bfloat) != value)
		fake_misuse(0, "a result was rounded");
	return bits;
}

size_t fake_item(int type)
{
	switch (type) {
	case 0: return 4;
	case 5: return 16;
	case 2:
	case 14: return 2;
	default: return 8;
	}
}

double complex fake_load(const void *at, int type)
{
	double complex z;
	float complex c;
	uint16_t bits;
	double d;
	float f;

	switch (type) {
	case 0: memcpy(&f, at, sizeof(f)); return (double)f;
	case 1: memcpy(&d, at, sizeof(d)); return d;
	case 4: memcpy(&c, at, sizeof(c)); return c;
	case 5: memcpy(&z, at, sizeof(z)); return z;
	default:
		memcpy(&bits, at, sizeof(bits));
		return (double)narrow_value(bits, type == 14);
	}
}

void fake_store(void *at, int type, double complex z)
{
	const float complex c = (float complex)z;
	const double d = creal(z);
	const float f = (float)d;
	uint16_t bits;

	switch (type) {
	case 0: memcpy(at, &f, sizeof(f)); break;
	case 1: memcpy(at, &d, sizeof(d)); break;
	case 4: memcpy(at, &c, sizeof(c)); break;
	case 5: memcpy(at, &z, sizeof(z)); break;
	default:
		bits = narrow_bits(f, type == 14);
		memcpy(at, &bits, sizeof(bits));
	}
}

double complex *fake_take(const struct fake_matrix *x)
{
	const int64_t item = (int64_t)fake_item(x->type);
	double complex *to =
		calloc((size_t)(x->rows * x->columns) + 1, sizeof(*to));

	for (int64_t j = 0; to && j < x->columns; j++)
		for (int64_t i = 0; i < x->rows; i++)
			to[i + j * x->rows] = fake_load(
				x->at + (i + j * x->leading) * item, x->type);
	return to;
}

void fake_give(const struct fake_matrix *x, const double complex *from)
{
	const int64_t item = (int64_t)fake_item(x->type);

	for (int64_t j = 0; j < x->columns; j++)
		for (int64_t i = 0; i < x->rows; i++)
			fake_store(x->at + (i + j * x->leading) * item, x->type,
				   from[i + j * x->rows]);
}
