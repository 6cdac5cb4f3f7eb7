/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_host.c - host functions that copy within host memory, in the order of a
 * stream.  They are used if the device has no memory to copy through.
 *
 * After a fault the driver may never call a host function, so the records of
 * the copies are kept for reuse, and freed only at the end.
 */
#include "cuda_objects.h"

/* Runs in a thread of the driver, where no call of the driver is allowed. */
static void CUDA_CB copy_run(void *data)
{
	struct cuda_host_copy *copy = data;

	memcpy(copy->to, copy->from, copy->size);
	atomic_store_explicit(&copy->taken, false, memory_order_release);
}

/* Take an unused record, or make one.  NULL: out of memory. */
static struct cuda_host_copy *take_copy(struct cuda_scope *scope)
{
	struct cuda_host_copy *copy;

	pthread_mutex_lock(&scope->lock);
	for (copy = scope->copies; copy; copy = copy->next)
		if (!atomic_load_explicit(&copy->taken, memory_order_acquire))
			break;
	if (!copy) {
		copy = dprh_alloc(scope->context->instance->host, 1,
				  sizeof(*copy));
		if (copy) {
			copy->next = scope->copies;
			scope->copies = copy;
		}
	}
	if (copy)
		atomic_store_explicit(&copy->taken, true, memory_order_relaxed);
	pthread_mutex_unlock(&scope->lock);
	return copy;
}

CUresult cuda_host_copy(struct cuda_scope *scope, CUstream stream, void *to,
			const void *from, size_t size)
{
	struct cuda_host_copy *copy = take_copy(scope);
	CUresult error;

	if (!copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	copy->to = to;
	copy->from = from;
	copy->size = size;
	error = scope->context->instance->cu.cuLaunchHostFunc(stream, copy_run,
							      copy);
	if (error)
		atomic_store_explicit(&copy->taken, false,
				      memory_order_release);
	return error;
}

void cuda_host_free_all(struct cuda_scope *scope)
{
	struct cuda_host_copy *copy;

	while ((copy = scope->copies)) {
		scope->copies = copy->next;
		dprh_free(scope->context->instance->host, copy);
	}
}
