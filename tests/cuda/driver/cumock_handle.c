/* SPDX-License-Identifier: Apache-2.0 */
/* cumock_handle.c - handles: whether they are valid, and their contexts. */
#include "cumock_impl.h"

#include <stdlib.h>

/* The kind that is counted as live; -1: none. */
static int object_of(uint32_t magic)
{
	switch (magic) {
	case MAGIC_STREAM: return CUMOCK_STREAMS;
	case MAGIC_EVENT: return CUMOCK_EVENTS;
	case MAGIC_LIBRARY: return CUMOCK_LIBRARIES;
	case MAGIC_LINK: return CUMOCK_LINKS;
	case MAGIC_GREEN: return CUMOCK_GREENS;
	default: return -1;
	}
}

static void count(uint32_t magic, int by)
{
	int object = object_of(magic);

	if (object >= 0)
		cumock.live[object] += by;
}

void *cumock_handle_new(size_t size, uint32_t magic, struct context *context)
{
	struct handle *handle = calloc(1, size);

	if (!handle)
		return NULL;
	handle->magic = magic;
	handle->alive = true;
	handle->context = context;
	handle->life = context ? context->id : 0;
	handle->next = cumock.handles;
	cumock.handles = handle;
	count(magic, 1);
	return handle;
}

void *cumock_handle_get(void *pointer, uint32_t magic, CUresult *error)
{
	struct handle *handle = pointer;

	if (*error)
		return NULL;
	if (!handle || handle->magic != magic) {
		*error = cumock_misuse(CUDA_ERROR_INVALID_HANDLE,
				       "%p is not a handle of this kind",
				       pointer);
		return NULL;
	}
	/* The object was destroyed when its context was reset. */
	if (handle->context && handle->context->id != handle->life) {
		*error = CUDA_ERROR_CONTEXT_IS_DESTROYED;
		return NULL;
	}
	if (!handle->alive) {
		*error = cumock_misuse(CUDA_ERROR_INVALID_HANDLE,
				       "%p was destroyed before", pointer);
		return NULL;
	}
	return handle;
}

CUresult cumock_handle_state(const struct handle *handle)
{
	return handle->context ? handle->context->device->lost : CUDA_SUCCESS;
}

void cumock_handle_end(void *pointer)
{
	struct handle *handle = pointer;

	handle->alive = false;
	count(handle->magic, -1);
}

void cumock_handle_end_all(const struct context *context)
{
	struct handle *handle;

	for (handle = cumock.handles; handle; handle = handle->next)
		if (handle->alive && handle->context == context &&
		    handle->life == context->id)
			cumock_handle_end(handle);
}
