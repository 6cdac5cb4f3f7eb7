/* SPDX-License-Identifier: Apache-2.0 */
/* cumock_green.c - green contexts, which are sets of multiprocessors, split as
   on an H200. */
#include "cumock_impl.h"

#include <stdlib.h>
#include <string.h>

#define UNIT 8

struct green {
	struct handle handle;
	unsigned units;
	struct context *context;
};

/* A set of multiprocessors: the bytes after a CUdevResource's type. */
struct set {
	uint64_t check;
	int device;
	unsigned split; /* number of the split that made it; 0: none, and only
			   such a set can be split */
	unsigned group; /* number within that split */
	unsigned units;
};

struct desc {
	struct handle handle;
	int device;
	unsigned units;
};

/* The value of set.check in every set. */
#define CHECK UINT64_C(0x5e7c0de5)

static unsigned splits; /* number of splits so far; guarded by the lock */

static void put_set(CUdevResource *out, const struct set *set)
{
	memset(out, 0, sizeof(*out));
	out->type = CU_DEV_RESOURCE_TYPE_SM;
	memcpy((unsigned char *)out + sizeof(out->type), set, sizeof(*set));
	out->sm.smCount = set->units;
}

static bool get_set(const CUdevResource *in, struct set *set)
{
	memcpy(set, (const unsigned char *)in + sizeof(in->type), sizeof(*set));
	return in->type == CU_DEV_RESOURCE_TYPE_SM && set->check == CHECK;
}

CUresult cumock_cuDeviceGetDevResource(CUdevice number, CUdevResource *out,
				       CUdevResourceType type)
{
	CUresult error = cumock_begin(CUMOCK_cuDeviceGetDevResource);
	struct device *device = cumock_context_device(number, &error);
	struct set set = { .check = CHECK, .device = number };

	if (device && type != CU_DEV_RESOURCE_TYPE_SM)
		error = CUDA_ERROR_INVALID_RESOURCE_TYPE;
	else if (device && device->settings->instance)
		error = CUDA_ERROR_NOT_SUPPORTED;
	if (!error) {
		set.units = (unsigned)device->settings->units;
		put_set(out, &set);
	}
	return cumock_end(error);
}

/* How many groups of @size there are.  Multiprocessors are in clusters of up to
   18, so that groups of 8 leave a rest, which larger groups can use. */
static unsigned groups_of(unsigned units, unsigned size)
{
	if (size == UNIT && units == 132)
		return 15;
	return units / size;
}

CUresult cumock_cuDevSmResourceSplitByCount(CUdevResource *out, unsigned *n,
					    const CUdevResource *in,
					    CUdevResource *rest, unsigned flags,
					    unsigned least)
{
	CUresult error = cumock_begin(CUMOCK_cuDevSmResourceSplitByCount);
	unsigned size = least < UNIT ? UNIT : (least + UNIT - 1) / UNIT * UNIT;
	struct set all, part;
	unsigned groups, i;

	if (error)
		return cumock_end(error);
	if (flags || !n || !get_set(in, &all))
		return cumock_end(CUDA_ERROR_INVALID_VALUE);
	if (least > all.units || all.split)
		return cumock_end(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
	groups = groups_of(all.units, size);
	if (!out) {
		*n = groups;
		return cumock_end(CUDA_SUCCESS);
	}
	if (*n < groups)
		groups = *n;
	part = all;
	part.split = ++splits;
	part.units = size;
	for (i = 0; i < groups; i++) {
		part.group = i;
		put_set(&out[i], &part);
	}
	*n = groups;
	part.group = groups;
	part.units = all.units - groups * size;
	if (rest)
		put_set(rest, &part);
	return cumock_end(CUDA_SUCCESS);
}

/* Join groups, which must be different ones of one split. */
static CUresult join(const CUdevResource *list, unsigned n, struct desc *desc)
{
	struct set first, set, before;
	unsigned i, j;

	if (!n || !get_set(&list[0], &first))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < n; i++) {
		if (!get_set(&list[i], &set))
			return CUDA_ERROR_INVALID_VALUE;
		if (set.split != first.split || set.device != first.device)
			return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
		for (j = 0; j < i; j++)
			if (get_set(&list[j], &before) &&
			    before.group == set.group)
				return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
		desc->units += set.units;
	}
	desc->device = first.device;
	return CUDA_SUCCESS;
}

CUresult cumock_cuDevResourceGenerateDesc(CUdevResourceDesc *out,
					  CUdevResource *list, unsigned n)
{
	CUresult error = cumock_begin(CUMOCK_cuDevResourceGenerateDesc);
	struct desc *desc = NULL;

	if (!error) {
		desc = cumock_handle_new(sizeof(*desc), MAGIC_DESC, NULL);
		error = desc ? join(list, n, desc) : CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (!error)
		*out = (CUdevResourceDesc)desc;
	return cumock_end(error);
}

CUresult cumock_cuGreenCtxCreate(CUgreenCtx *out, CUdevResourceDesc handle,
				 CUdevice number, unsigned flags)
{
	CUresult error = cumock_begin(CUMOCK_cuGreenCtxCreate);
	struct desc *desc = cumock_handle_get(handle, MAGIC_DESC, &error);
	struct device *device = cumock_context_device(number, &error);
	struct green *green;

	if (!error &&
	    (desc->device != number || flags != CU_GREEN_CTX_DEFAULT_STREAM))
		error = CUDA_ERROR_INVALID_VALUE;
	if (!error)
		error = cumock_context_retain(device);
	if (error)
		return cumock_end(error);
	green = cumock_handle_new(sizeof(*green), MAGIC_GREEN, device->primary);
	if (green)
		green->context =
			cumock_handle_new(sizeof(*green->context),
					  MAGIC_CONTEXT, device->primary);
	if (!green || !green->context) {
		cumock_context_release(device);
		return cumock_end(CUDA_ERROR_OUT_OF_MEMORY);
	}
	green->units = desc->units;
	green->context->device = device;
	green->context->active = true;
	green->context->id = ++cumock.ids;
	green->context->green = green;
	*out = (CUgreenCtx)green;
	return cumock_end(CUDA_SUCCESS);
}

CUresult cumock_cuGreenCtxGetDevResource(CUgreenCtx handle, CUdevResource *out,
					 CUdevResourceType type)
{
	CUresult error = cumock_begin(CUMOCK_cuGreenCtxGetDevResource);
	struct green *green = cumock_handle_get(handle, MAGIC_GREEN, &error);
	struct set set = { .check = CHECK };

	if (green && type != CU_DEV_RESOURCE_TYPE_SM)
		error = CUDA_ERROR_INVALID_RESOURCE_TYPE;
	if (!error) {
		set.device = green->context->device->number;
		set.units = green->units;
		put_set(out, &set);
	}
	return cumock_end(error);
}

CUresult cumock_cuGreenCtxDestroy(CUgreenCtx handle)
{
	CUresult error = cumock_begin(CUMOCK_cuGreenCtxDestroy);
	struct green *green = cumock_handle_get(handle, MAGIC_GREEN, &error);

	if (!green)
		return cumock_end(error);
	if (green->context->users)
		cumock_misuse(CUDA_SUCCESS, "it is current on a thread");
	green->context->active = false;
	green->context->handle.alive = false;
	cumock_handle_end(green);
	cumock_context_release(green->context->device);
	return cumock_end(CUDA_SUCCESS);
}

CUresult cumock_cuCtxFromGreenCtx(CUcontext *out, CUgreenCtx handle)
{
	CUresult error = cumock_begin(CUMOCK_cuCtxFromGreenCtx);
	struct green *green = cumock_handle_get(handle, MAGIC_GREEN, &error);

	if (green)
		*out = (CUcontext)green->context;
	return cumock_end(error);
}

CUresult cumock_cuGreenCtxStreamCreate(CUstream *out, CUgreenCtx handle,
				       unsigned flags, int priority)
{
	CUresult error = cumock_begin(CUMOCK_cuGreenCtxStreamCreate);
	struct green *green = cumock_handle_get(handle, MAGIC_GREEN, &error);
	struct stream *stream;

	(void)priority;
	if (green && flags != CU_STREAM_NON_BLOCKING)
		error = CUDA_ERROR_INVALID_VALUE;
	if (green && !error)
		error = cumock_handle_state(&green->context->handle);
	if (error)
		return cumock_end(error);
	stream = cumock_stream_new(green->context, flags);
	if (!stream)
		return cumock_end(CUDA_ERROR_OUT_OF_MEMORY);
	*out = (CUstream)stream;
	return cumock_end(CUDA_SUCCESS);
}
