/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faulty_calls.c - the format "calls-1" with the routine gemm, and faults of
 * both.
 *
 * The mock has no routines.  They are native kernels of the mock here, which
 * need the type cpu.
 */
#include <complex.h>
#include <string.h>

#include "tests/kit/faulty.h"
#include "tests/kit/lapack/faulty_lapack.h"

/* --- gemm ----------------------------------------------------------------- */

/* What a fault does wrong. */
static struct {
	bool plain;     /* no matrix is transposed */
	bool one_axis;  /* the batch has one axis */
	bool adds;      /* to what is in c */
	bool fills;     /* the rows of c up to ldc */
	bool silent;    /* nothing is logged */
	bool knows_all; /* each name is that of the first routine */
} wrong;

/* Where matrix @n of the batch begins. */
static int64_t place(const dprp_gemm *v, const int64_t *stride, int64_t offset,
		     int64_t n)
{
	for (int i = DPRP_GEMM_BATCHES - 1; i >= 0; i--) {
		offset += n % v->batch[i] * stride[i];
		n /= v->batch[i];
		if (wrong.one_axis)
			break;
	}
	return offset;
}

static int64_t count(const dprp_gemm *v)
{
	int64_t n = 1;

	for (int i = 0; i < DPRP_GEMM_BATCHES; i++)
		n *= v->batch[i];
	return n;
}

#define GEMM(name, type)                                                      \
	static void name(const void *const *args, const uint64_t global[3],   \
			 const uint64_t local[3], const uint64_t group[3])    \
	{                                                                     \
		const type *all_a = *(const type *const *)args[0];            \
		const type *all_b = *(const type *const *)args[1];            \
		type *all_c = *(type *const *)args[2];                        \
		dprp_gemm v;                                                  \
                                                                              \
		(void)global;                                                 \
		(void)local;                                                  \
		if (group[0])                                                 \
			return;                                               \
		memcpy(&v, args[3], sizeof(v));                               \
		if (wrong.plain)                                              \
			v.flags = 0;                                          \
		const int64_t columns = wrong.fills ? v.ldc : v.n;            \
		const bool ta = v.flags & DPRP_GEMM_A_TRANSPOSED,             \
			   tb = v.flags & DPRP_GEMM_B_TRANSPOSED;             \
                                                                              \
		for (int64_t n = 0; n < count(&v); n++) {                     \
			const type *a =                                       \
				all_a + place(&v, v.stride_a, v.offset_a, n); \
			const type *b =                                       \
				all_b + place(&v, v.stride_b, v.offset_b, n); \
			type *c =                                             \
				all_c + place(&v, v.stride_c, v.offset_c, n); \
                                                                              \
			for (int64_t at = 0; at < v.m * columns; at++) {      \
				const int64_t i = at / columns,               \
					      j = at % columns;               \
				type sum = wrong.adds ? c[i * v.ldc + j] : 0; \
                                                                              \
				for (int64_t p = 0; j < v.n && p < v.k; p++)  \
					sum += a[ta ? i + p * v.lda           \
						    : i * v.lda + p] *        \
					       b[tb ? p + j * v.ldb           \
						    : p * v.ldb + j];         \
				c[i * v.ldc + j] = sum;                       \
			}                                                     \
		}                                                             \
	}

/* --- Routines ------------------------------------------------------------- */

GEMM(gemm_float32, float)
GEMM(gemm_float64, double)
GEMM(gemm_complex64, float complex)
GEMM(gemm_complex128, double complex)

/* clang-format off */
#define MEM { DPRP_ARG_MEM, 0, sizeof(void *) }
#define VALUE(type) { DPRP_ARG_VALUE, 0, sizeof(type) }
static const dprp_param gemm_params[] = { MEM, MEM, MEM, VALUE(dprp_gemm) };
#define KERNEL(dtype) \
	static const dprp_native_kernel kernel_##dtype = { \
		"gemm", gemm_##dtype, 4, 0, gemm_params \
	}; \
	static const dprp_native_module module_##dtype = { \
		sizeof(dprp_native_module), 1, 0, &kernel_##dtype \
	};
#define ROUTINE(dtype) { "gemm " #dtype, &module_##dtype }

KERNEL(float32)
KERNEL(float64)
KERNEL(complex64)
KERNEL(complex128)
/* clang-format on */

static const struct {
	const char *name;
	const dprp_native_module *module; /* which its modules refer to */
} routines[] = {
	ROUTINE(float32),
	ROUTINE(float64),
	ROUTINE(complex64),
	ROUTINE(complex128),
};

#define COUNT (sizeof(routines) / sizeof(routines[0]))

/* --- The format ----------------------------------------------------------- */

/* The code for a name that is not known. */
static dprp_rc unknown = DPR_RC_UNSUPPORTED;

static bool is_call(const dprp_image *image)
{
	return !strcmp(image->format, DPRP_CALLS_FORMAT);
}

static dprp_rc calls_info(dprp_device *device, uint32_t key, void *buffer,
			  size_t capacity, size_t *need)
{
	static const char more[] = DPRP_CALLS_FORMAT;
	char list[512];
	dprp_rc rc;

	if (key != DPR_INFO_FORMATS)
		return faulty.mock->device->info(device, key, buffer, capacity,
						 need);
	rc = faulty.mock->device->info(device, key, list,
				       sizeof(list) - sizeof(more), need);
	if (rc)
		return rc;
	memcpy(list + *need, more, sizeof(more));
	*need += sizeof(more);
	if (!buffer)
		return DPR_RC_OK;
	if (capacity < *need)
		return faulty_fail(DPR_RC_INVALID);
	memcpy(buffer, list, *need);
	return DPR_RC_OK;
}

static dprp_rc calls_create(dprp_context *context, dprp_device *device,
			    const dprp_module_desc *desc, dprp_module **out)
{
	static const char line[] = "routines of the tests";
	const dprp_image *image = desc->images[0];
	dprp_image changed = { sizeof(changed), DPRP_NATIVE_FORMAT, NULL, NULL,
			       sizeof(dprp_native_module) };
	const dprp_image *images = &changed;
	dprp_module_desc given = *desc;
	const dprp_native_module *lapack;
	size_t i = 0;

	if (desc->n_images != 1 || !is_call(image))
		return faulty.mock->module->create(context, device, desc, out);
	lapack = faulty_lapack_find(image->data, image->size);
	while (i < COUNT &&
	       (strlen(routines[i].name) != image->size ||
		memcmp(routines[i].name, image->data, image->size) != 0))
		i++;
	if (i == COUNT && !lapack && !wrong.knows_all)
		return faulty_fail(unknown);
	changed.data = lapack ? lapack : routines[i % COUNT].module;
	given.images = &images;
	if (!wrong.silent && desc->log.write)
		desc->log.write(desc->log.user, line, sizeof(line) - 1);
	return faulty.mock->module->create(context, device, &given, out);
}

static dprp_rc calls_pick(dprp_device *device, const dprp_image *const *images,
			  uint32_t n, uint32_t *best)
{
	if (!is_call(images[0]))
		return faulty.mock->module->pick(device, images, n, best);
	*best = 0;
	return DPR_RC_OK;
}

void faulty_offer_calls(void)
{
	faulty.device.info = calls_info;
	faulty.module.pick = calls_pick;
	faulty.module.create = calls_create;
	faulty_lapack_offer();
}

/* --- Faults --------------------------------------------------------------- */

static void calls_silent(void)
{
	wrong.silent = true;
}

static void calls_know_all(void)
{
	wrong.knows_all = true;
}

static void calls_invalid(void)
{
	unknown = DPR_RC_INVALID;
}

static void gemm_plain(void)
{
	wrong.plain = true;
}

static void gemm_one_axis(void)
{
	wrong.one_axis = true;
}

static void gemm_adds(void)
{
	wrong.adds = true;
}

static void gemm_fills(void)
{
	wrong.fills = true;
}

static dprp_queue *spare;

static dprp_rc spare_create(dprp_context *context, dprp_device *device,
			    const dprp_queue_desc *desc, uint64_t *got,
			    dprp_queue **out)
{
	uint64_t granted;

	if (!spare)
		faulty.mock->queue->create(context, device, desc, &granted,
					   &spare);
	return faulty.mock->queue->create(context, device, desc, got, out);
}

static size_t early; /* the size of the values of a routine */

/* A routine that overtakes the work of its queue. */
static dprp_rc early_launch(dprp_queue *queue, dprp_kernel *kernel,
			    const dprp_launch *launch, const dprp_deps *deps,
			    dprp_event **event)
{
	const dprp_queue_ops *mock = faulty.mock->queue;
	dprp_rc rc;

	if (launch->args[launch->n_args - 1].size != early)
		return mock->launch(queue, kernel, launch, deps, event);
	rc = mock->launch(spare, kernel, launch, NULL, NULL);
	if (!rc)
		rc = mock->finish(spare);
	return rc ? rc : mock->barrier(queue, deps, event);
}

static void gemm_early(void)
{
	early = sizeof(dprp_gemm);
	faulty.queue.create = spare_create;
	faulty.queue.launch = early_launch;
}

static void lapack_early(void)
{
	gemm_early();
	early = sizeof(dprp_lapack);
}

const struct fault faulty_calls_faults[] = {
	{ "calls_silent", calls_silent },
	{ "calls_know_all", calls_know_all },
	{ "calls_invalid", calls_invalid },
	{ "gemm_plain", gemm_plain },
	{ "gemm_one_axis", gemm_one_axis },
	{ "gemm_adds", gemm_adds },
	{ "gemm_fills", gemm_fills },
	{ "gemm_early", gemm_early },
	{ "lapack_early", lapack_early },
	{ NULL, NULL },
};
