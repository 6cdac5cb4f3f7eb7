/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples.c - the kernels of the checks.
 *
 *	add_one(int *x, ulong n)		x[i] += 1
 *	axpy(float a, float *x, float *y, ulong n)	y[i] += a * x[i]
 *	copy(int *to, int *from, ulong n)
 *	local_sum(int *out, int *x, local int *tmp, ulong n)	*out = the sum;
 *						one work-group; not in PTX
 *	own_local(int *out, local int *tmp)	out[group] = group + 1;
 *						native alone
 *	spin(int *x, ulong n)			takes long
 *	store(int *x, struct samples_store s)	x[s.index] = s.value
 *	visit(int *x, ulong w, ulong h, ulong d)	x[(l * h + k) * w + i]
 *+=
 *1
 */
#include "tools/kit/samples.h"

#include <stdatomic.h>
#include <string.h>

#include "tools/kit/samples_spirv.h"
#include "tools/kit/samples_text.h"
#include "tools/kit/work.h"
#include "tools/shared/seconds.h"

/* --- Native code ------------------------------------------------------------
 */

#define KERNEL(name)                                                        \
	static void name(const void *const *args, const uint64_t global[3], \
			 const uint64_t local[3], const uint64_t group[3])

/* The address that a MEM or LOCAL argument gives. */
static void *address(const void *const *args, int index)
{
	void *pointer;

	memcpy(&pointer, args[index], sizeof(pointer));
	return pointer;
}

static atomic_bool unaligned;

/* Look at the address of a value. */
static void look(const void *const *args, int index)
{
	if ((uintptr_t)args[index] % 16)
		atomic_store(&unaligned, true);
}

static uint64_t number(const void *const *args, int index)
{
	uint64_t value;

	look(args, index);
	memcpy(&value, args[index], sizeof(value));
	return value;
}

/* The indices of this work-group along a dimension, cut off at @most. */
static void span(uint64_t most, uint64_t local, uint64_t group, uint64_t *begin,
		 uint64_t *end)
{
	*begin = group * local;
	*end = *begin + local < most ? *begin + local : most;
}

KERNEL(add_one)
{
	int32_t *x = address(args, 0);
	uint64_t i, end;

	(void)global;
	for (span(number(args, 1), local[0], group[0], &i, &end); i < end; i++)
		x[i]++;
}

KERNEL(axpy)
{
	const float *x = address(args, 1);
	float a, *y = address(args, 2);
	uint64_t i, end;

	(void)global;
	look(args, 0);
	memcpy(&a, args[0], sizeof(a));
	for (span(number(args, 3), local[0], group[0], &i, &end); i < end; i++)
		y[i] += a * x[i];
}

KERNEL(copy)
{
	const int32_t *from = address(args, 1);
	int32_t *to = address(args, 0);
	uint64_t i, end;

	(void)global;
	for (span(number(args, 2), local[0], group[0], &i, &end); i < end; i++)
		to[i] = from[i];
}

KERNEL(local_sum)
{
	int32_t *out = address(args, 0), *tmp = address(args, 2);
	const int32_t *x = address(args, 1);
	uint64_t i, n = number(args, 3);

	(void)global;
	(void)local;
	if (group[0])
		return;
	for (tmp[0] = 0, i = 0; i < n; i++)
		tmp[0] += x[i];
	out[0] = (uintptr_t)tmp % 64 ? SAMPLES_UNALIGNED : tmp[0];
}

/* How many groups are inside at the moment. */
static atomic_uint inside;

/* out[group] becomes the group's number from 1, by way of its local memory.  A
   group waits there for a moment until another is inside, too. */
KERNEL(own_local)
{
	int32_t *out = address(args, 0);
	volatile int32_t *tmp = address(args, 1);
	const int32_t own = (int32_t)group[0] + 1;
	double until;

	(void)global;
	(void)local;
	atomic_fetch_add(&inside, 1);
	tmp[0] = own;
	until = seconds_now() + 0.005;
	while (atomic_load(&inside) < 2 && seconds_now() < until)
		;
	until = seconds_now() + 0.0005;
	while (tmp[0] == own && seconds_now() < until)
		;
	out[group[0]] = tmp[0] == own ? own : SAMPLES_SHARED;
	atomic_fetch_sub(&inside, 1);
}

KERNEL(spin)
{
	int32_t *x = address(args, 0);
	uint64_t i, n = number(args, 1);
	uint32_t v = (uint32_t)x[0];

	(void)global;
	(void)local;
	if (group[0])
		return;
	for (i = 0; i < n; i++)
		v = v * 1664525u + (uint32_t)i;
	x[0] = (int32_t)v;
}

KERNEL(store)
{
	int32_t *x = address(args, 0);
	struct samples_store s;

	(void)global;
	(void)local;
	memcpy(&s, args[1], sizeof(s));
	if (!group[0])
		x[s.index] =
			(uintptr_t)args[1] % 16 ? SAMPLES_UNALIGNED : s.value;
}

KERNEL(visit)
{
	uint64_t w = number(args, 1), h = number(args, 2), d = number(args, 3);
	uint64_t at[3], from[3], end[3];
	int32_t *x = address(args, 0);

	(void)global;
	span(w, local[0], group[0], &from[0], &end[0]);
	span(h, local[1], group[1], &from[1], &end[1]);
	span(d, local[2], group[2], &from[2], &end[2]);
	for (at[2] = from[2]; at[2] < end[2]; at[2]++)
		for (at[1] = from[1]; at[1] < end[1]; at[1]++)
			for (at[0] = from[0]; at[0] < end[0]; at[0]++)
				x[(at[2] * h + at[1]) * w + at[0]]++;
}

/* clang-format off */
#define MEM { DPRP_ARG_MEM, 0, 0 }
#define LOCAL { DPRP_ARG_LOCAL, 0, 0 }
#define VALUE(size) { DPRP_ARG_VALUE, 0, (size) }
/* clang-format on */

static const dprp_param one_params[] = { MEM, VALUE(8) };
static const dprp_param axpy_params[] = { VALUE(4), MEM, MEM, VALUE(8) };
static const dprp_param copy_params[] = { MEM, MEM, VALUE(8) };
static const dprp_param own_params[] = { MEM, LOCAL };
static const dprp_param sum_params[] = { MEM, MEM, LOCAL, VALUE(8) };
static const dprp_param store_params[] = {
	MEM, VALUE(sizeof(struct samples_store))
};
static const dprp_param visit_params[] = { MEM, VALUE(8), VALUE(8), VALUE(8) };

static const dprp_native_kernel kernels[] = {
	{ "add_one", add_one, 2, 0, one_params },
	{ "axpy", axpy, 4, 0, axpy_params },
	{ "copy", copy, 3, 0, copy_params },
	{ "local_sum", local_sum, 4, 0, sum_params },
	{ "own_local", own_local, 2, 0, own_params },
	{ "spin", spin, 2, 0, one_params },
	{ "store", store, 2, 0, store_params },
	{ "visit", visit, 4, 0, visit_params },
};

static const dprp_native_module native = {
	.struct_size = sizeof(native),
	.n_kernels = KIT_COUNT(kernels),
	.kernels = kernels,
};

const dprp_image samples_all[SAMPLES] = {
	{ sizeof(dprp_image), DPRP_NATIVE_FORMAT, NULL, &native,
	  sizeof(native) },
	{ sizeof(dprp_image), "opencl-c", NULL, samples_opencl_c,
	  sizeof(samples_opencl_c) - 1 },
	{ sizeof(dprp_image), "spirv", NULL, samples_spirv,
	  sizeof(samples_spirv) },
	{ sizeof(dprp_image), "ptx", NULL, samples_ptx, sizeof(samples_ptx) },
};

/* --- Modules and kernels ----------------------------------------------------
 */

dprp_rc samples_make(struct kit *kit, const dprp_image *image,
		     dprp_module **out)
{
	const dprp_module_desc desc = { .struct_size = sizeof(desc),
					.n_images = 1,
					.images = &image };
	dprp_rc rc;

	*out = NOTE_POISON;
	rc = NOTE_CALL(kit->plugin->module->create(kit->context, kit->device,
						   &desc, out),
		       "module->create", "format=%s", image->format);
	if (!rc)
		note_handle(*out);
	return rc;
}

bool samples_fits(struct kit *kit, const dprp_image *image)
{
	uint32_t best = 99;

	return !NOTE_CALL(
		kit->plugin->module->pick(kit->device, &image, 1, &best),
		"module->pick", "format=%s", image->format);
}

void samples_open(struct kit *kit)
{
	const dprp_image *list[SAMPLES];
	uint32_t i, best = 99;

	if (!kit->plugin->module)
		note_skip("there is no module table: the plugin can only copy");
	for (i = 0; i < SAMPLES; i++)
		list[i] = &samples_all[i];
	if (NOTE_CALL(kit->plugin->module->pick(kit->device, list, SAMPLES,
						&best),
		      "module->pick", "native, opencl-c, spirv, ptx"))
		note_skip("the device takes none of %s, opencl-c, spirv, ptx",
			  DPRP_NATIVE_FORMAT);
	if (best >= SAMPLES) {
		note_bad("K1", "the index of an image", "%u", best);
		note_end();
	}
	kit->format = list[best]->format;
	note_need("K2", samples_make(kit, list[best], &kit->module));
}

dprp_kernel *samples_kernel(struct kit *kit, const char *name)
{
	dprp_kernel *kernel = NOTE_POISON;

	note_need("K4", NOTE_CALL(kit->plugin->module->kernel(kit->module, name,
							      &kernel),
				  "module->kernel", "name=\"%s\"", name));
	note_handle(kernel);
	return kernel;
}

dprp_kernel *samples_try(struct kit *kit, const char *name)
{
	uint32_t i;

	for (i = 0; kit->plugin->module && i < SAMPLES; i++)
		if (samples_fits(kit, &samples_all[i])) {
			samples_open(kit);
			return samples_kernel(kit, name);
		}
	return NULL;
}

void samples_drop(struct kit *kit, dprp_kernel *kernel)
{
	note_step("module->kernel_destroy", "%s", "");
	kit->plugin->module->kernel_destroy(kernel);
}

bool samples_unaligned(void)
{
	return atomic_load(&unaligned);
}

bool samples_is_native(const struct kit *kit)
{
	return !strcmp(kit->format, DPRP_NATIVE_FORMAT);
}

bool samples_has_local(const struct kit *kit)
{
	return strcmp(kit->format, "ptx") != 0;
}

/* --- Launches ---------------------------------------------------------------
 */

dprp_arg samples_mem(dprp_mem *mem, uint64_t offset)
{
	dprp_arg arg = { .kind = DPRP_ARG_MEM };

	arg.u.m.mem = mem;
	arg.u.m.offset = offset;
	return arg;
}

dprp_arg samples_value(const void *value, uint64_t size)
{
	dprp_arg arg = { .kind = DPRP_ARG_VALUE, .size = size };

	arg.u.value = value;
	return arg;
}

dprp_arg samples_local(uint64_t size)
{
	return (dprp_arg){ .kind = DPRP_ARG_LOCAL, .size = size };
}

void samples_launch(struct kit *kit, dprp_queue *queue, dprp_kernel *kernel,
		    const dprp_launch *launch, dprp_event *const *after,
		    uint32_t n, dprp_event **event)
{
	const dprp_deps deps = work_deps(after, n);
	dprp_rc rc;

	if (event)
		*event = NOTE_POISON;
	rc = NOTE_CALL(kit->plugin->queue->launch(queue, kernel, launch,
						  n ? &deps : NULL, event),
		       "queue->launch",
		       "dims=%u, global=%llu,%llu,%llu, local=%llu,%llu,%llu, "
		       "%u deps, format %s",
		       launch->dims, ULL(launch->global[0]),
		       ULL(launch->global[1]), ULL(launch->global[2]),
		       ULL(launch->local[0]), ULL(launch->local[1]),
		       ULL(launch->local[2]), n, kit->format);
	if (work_must_wait(rc, n)) {
		work_wait_all(kit, after, n);
		samples_launch(kit, queue, kernel, launch, NULL, 0, event);
		return;
	}
	note_need("Q10", rc);
	if (event)
		note_handle(*event);
}

void samples_run(struct kit *kit, dprp_queue *queue, dprp_kernel *kernel,
		 uint64_t global, const dprp_arg *args, uint32_t n_args,
		 dprp_event **event)
{
	const dprp_launch launch = { .struct_size = sizeof(launch),
				     .dims = 1,
				     .n_args = n_args,
				     .global = { global, 1, 1 },
				     .args = args };

	samples_launch(kit, queue, kernel, &launch, NULL, 0, event);
}

void samples_add_one(struct kit *kit, dprp_queue *queue, dprp_kernel *kernel,
		     dprp_mem *mem, uint64_t n, dprp_event **event)
{
	const dprp_arg args[2] = { samples_mem(mem, 0), samples_value(&n, 8) };

	samples_run(kit, queue, kernel, n, args, 2, event);
}
