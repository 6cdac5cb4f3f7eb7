/* SPDX-License-Identifier: Apache-2.0 */
/* backend_kernels.c - the rig's kernels: native code, source text, and
   names. */
#include "tests/contract/backend_rig.h"

#include <string.h>

struct store {
	int64_t index;
	int32_t value, pad;
};

/* The address that a MEM or LOCAL argument gives. */
static void *address(const void *const *args, int index)
{
	void *pointer;

	memcpy(&pointer, args[index], sizeof(pointer));
	return pointer;
}

/* The first-dimension indices of this work-group, cut off at @n. */
static void span(const void *n, const uint64_t local[3],
		 const uint64_t group[3], uint64_t *begin, uint64_t *end)
{
	uint64_t most;

	memcpy(&most, n, sizeof(most));
	*begin = group[0] * local[0];
	*end = *begin + local[0];
	if (*end > most)
		*end = most;
}

#define KERNEL(name)                                                        \
	static void name(const void *const *args, const uint64_t global[3], \
			 const uint64_t local[3], const uint64_t group[3])

KERNEL(add_one)
{
	int32_t *x = address(args, 0);
	uint64_t i, end;

	(void)global;
	for (span(args[1], local, group, &i, &end); i < end; i++)
		x[i]++;
}

KERNEL(axpy)
{
	const float *x = address(args, 1);
	float a, *y = address(args, 2);
	uint64_t i, end;

	(void)global;
	memcpy(&a, args[0], sizeof(a));
	for (span(args[3], local, group, &i, &end); i < end; i++)
		y[i] += a * x[i];
}

KERNEL(copy)
{
	const int32_t *from = address(args, 1);
	int32_t *to = address(args, 0);
	uint64_t i, end;

	(void)global;
	for (span(args[2], local, group, &i, &end); i < end; i++)
		to[i] = from[i];
}

KERNEL(fill_index)
{
	int32_t *x = address(args, 0);
	uint64_t i, end;

	(void)global;
	for (span(args[1], local, group, &i, &end); i < end; i++)
		x[i] = (int32_t)i;
}

KERNEL(local_sum)
{
	int32_t *out = address(args, 0), *tmp = address(args, 2);
	const int32_t *x = address(args, 1);
	uint64_t i, end;

	(void)global;
	span(args[3], local, group, &i, &end);
	if (group[0])
		return;
	for (tmp[0] = 0; i < end; i++)
		tmp[0] += x[i];
	out[0] = tmp[0];
}

KERNEL(store)
{
	int32_t *x = address(args, 0);
	struct store s;

	(void)global;
	(void)local;
	(void)group;
	memcpy(&s, args[1], sizeof(s));
	x[s.index] = s.value;
}

/* clang-format off */
#define MEM { DPRP_ARG_MEM, 0, 0 }
#define LOCAL { DPRP_ARG_LOCAL, 0, 0 }
#define VALUE(size) { DPRP_ARG_VALUE, 0, (size) }
/* clang-format on */

static const dprp_param add_one_params[] = { MEM, VALUE(8) };
static const dprp_param axpy_params[] = { VALUE(4), MEM, MEM, VALUE(8) };
static const dprp_param copy_params[] = { MEM, MEM, VALUE(8) };
static const dprp_param sum_params[] = { MEM, MEM, LOCAL, VALUE(8) };
static const dprp_param store_params[] = { MEM, VALUE(sizeof(struct store)) };

static const dprp_native_kernel kernels[] = {
	{ "add_one", add_one, 2, 0, add_one_params },
	{ "axpy", axpy, 4, 0, axpy_params },
	{ "copy", copy, 3, 0, copy_params },
	{ "fill_index", fill_index, 2, 0, add_one_params },
	{ "local_sum", local_sum, 4, 0, sum_params },
	{ "store", store, 2, 0, store_params },
};

const dprp_native_module rig_native = {
	.struct_size = sizeof(dprp_native_module),
	.n_kernels = sizeof(kernels) / sizeof(kernels[0]),
	.kernels = kernels,
};

const char rig_source[] =
	"kernel void add_one(global int *x, ulong n)\n"
	"{ size_t i = get_global_id(0); if (i < n) x[i]++; }\n"
	"kernel void axpy(float a, global const float *x, global float *y,\n"
	"	ulong n)\n"
	"{ size_t i = get_global_id(0); if (i < n) y[i] += a * x[i]; }\n"
	"kernel void copy(global int *to, global const int *from, ulong n)\n"
	"{ size_t i = get_global_id(0); if (i < n) to[i] = from[i]; }\n"
	"kernel void fill_index(global int *x, ulong n)\n"
	"{ size_t i = get_global_id(0); if (i < n) x[i] = (int)i; }\n"
	"kernel void local_sum(global int *out, global const int *x,\n"
	"	local int *tmp, ulong n)\n"
	"{ if (get_global_id(0)) return; tmp[0] = 0;\n"
	"  for (ulong i = 0; i < n; i++) tmp[0] += x[i]; out[0] = tmp[0]; }\n"
	"struct store { long index; int value, pad; };\n"
	"kernel void store(global int *x, struct store s)\n"
	"{ if (get_global_id(0) == 0) x[s.index] = s.value; }\n";

uint32_t rig_images(dprp_image images[3], const dprp_image *list[3])
{
	static const char mock[] =
		"add_one axpy copy fill_index local_sum store";
	uint32_t i;

	images[0] = (dprp_image){ sizeof(dprp_image), DPRP_NATIVE_FORMAT, NULL,
				  &rig_native, sizeof(rig_native) };
	images[1] = (dprp_image){ sizeof(dprp_image), "opencl-c", NULL,
				  rig_source, strlen(rig_source) };
	images[2] = (dprp_image){ sizeof(dprp_image), "mock", NULL, mock,
				  sizeof(mock) - 1 };
	for (i = 0; i < 3; i++)
		list[i] = &images[i];
	return 3;
}
