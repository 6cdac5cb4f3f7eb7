/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_queue.c - command queues, which execute closed lists, and fences. */
#include "zecpu_impl.h"

ze_result_t ZE_APICALL zecpu_zeCommandQueueCreate(
	ze_context_handle_t context, ze_device_handle_t device,
	const ze_command_queue_desc_t *desc, ze_command_queue_handle_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandQueueCreate);
	struct command_queue *queue;
	bool in_order;

	if (result ||
	    !zecpu_check_type(desc, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
			      &result) ||
	    !zecpu_check_pointer(out, "phCommandQueue", &result) ||
	    !zecpu_list_flags(desc->flags, ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY,
			      ZECPU_QUEUE_FLAG_IN_ORDER, &in_order, &result) ||
	    !zecpu_list_place(context, device, desc->ordinal, desc->index,
			      &result))
		return result;
	queue = zecpu_object_new(sizeof(*queue), KIND_QUEUE);
	if (!queue)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	queue->context = (struct context *)context;
	queue->queue.device = (struct device *)device;
	queue->queue.group = desc->ordinal;
	queue->queue.in_order = in_order;
	queue->queue.synchronous =
		desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
	pthread_mutex_lock(&zecpu.lock);
	queue->context->live++;
	pthread_mutex_unlock(&zecpu.lock);
	*out = (ze_command_queue_handle_t)queue;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL
zecpu_zeCommandQueueDestroy(ze_command_queue_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandQueueDestroy);
	struct command_queue *queue = (struct command_queue *)handle;

	if (result || !zecpu_object_is(queue, KIND_QUEUE, &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	if (queue->queue.length)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "the queue is destroyed while %llu commands of it "
			     "are not over",
			     (unsigned long long)queue->queue.length);
	if (queue->fences)
		zecpu_misuse(ZE_RESULT_SUCCESS, "the queue still has fences");
	queue->context->live--;
	zecpu_object_end(queue);
	pthread_mutex_unlock(&zecpu.lock);
	return ZE_RESULT_SUCCESS;
}

static bool queue_empty(const void *queue)
{
	return ((const struct queue *)queue)->length == 0;
}

static ze_result_t wait_empty(struct queue *queue, uint64_t timeout)
{
	if (!zecpu_engine_wait(queue_empty, queue, timeout))
		return ZE_RESULT_NOT_READY;
	return queue->lost ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeCommandQueueSynchronize(
	ze_command_queue_handle_t handle, uint64_t timeout)
{
	ze_result_t result = zecpu_enter(ENTRY_zeCommandQueueSynchronize);
	struct command_queue *queue = (struct command_queue *)handle;

	if (result || !zecpu_object_is(queue, KIND_QUEUE, &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	result = wait_empty(&queue->queue, timeout);
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

/* --- execution --- */

static bool check_list(const struct command_queue *queue,
		       const struct list *list, ze_result_t *result)
{
	if (!zecpu_object_is(list, KIND_LIST, result))
		return false;
	if (list->immediate || !list->closed)
		*result = zecpu_misuse(
			ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is %s",
			list->immediate ? "immediate" : "not closed");
	else if (list->group != queue->queue.group ||
		 list->device != queue->queue.device)
		*result = zecpu_misuse(
			ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
			"the list is of another device or queue group");
	else if (list->in_flight)
		*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				       "the list is executed while its last "
				       "execution is not over");
	return *result == ZE_RESULT_SUCCESS;
}

/* Submit a copy of each command of the list to the queue. */
static ze_result_t execute_list(struct command_queue *queue, struct list *list,
				struct fence *fence)
{
	const struct command *from;
	struct command *command;

	for (from = list->first; from; from = from->next) {
		command = zecpu_engine_clone(from);
		if (!command)
			return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
		command->fence = fence;
		/* Each command of an in-order list waits for the one before. */
		if (list->in_order)
			command->after_all = command->before_all = true;
		list->in_flight++;
		if (fence)
			fence->left++;
		zecpu_engine_submit(&queue->queue, command);
	}
	return ZE_RESULT_SUCCESS;
}

static bool check_fence(const struct command_queue *queue,
			const struct fence *fence, ze_result_t *result)
{
	if (!zecpu_object_is(fence, KIND_FENCE, result))
		return false;
	if (fence->queue != queue)
		*result = zecpu_misuse(
			ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
			"the fence is of another queue");
	else if (fence->submitted)
		*result = zecpu_misuse(
			ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
			"the fence was used before and not reset");
	return *result == ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeCommandQueueExecuteCommandLists(
	ze_command_queue_handle_t handle, uint32_t n,
	ze_command_list_handle_t *lists, ze_fence_handle_t fence_handle)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeCommandQueueExecuteCommandLists);
	struct command_queue *queue = (struct command_queue *)handle;
	struct fence *fence = (struct fence *)fence_handle;
	uint32_t i;

	if (result || !zecpu_object_is(queue, KIND_QUEUE, &result) ||
	    !zecpu_check_pointer(lists, "phCommandLists", &result))
		return result;
	if (atomic_load(&queue->queue.device->lost))
		return ZE_RESULT_ERROR_DEVICE_LOST;
	pthread_mutex_lock(&zecpu.lock);
	if (fence)
		check_fence(queue, fence, &result);
	for (i = 0; i < n && !result; i++)
		check_list(queue, (struct list *)lists[i], &result);
	if (fence && !result) {
		fence->submitted = true;
		fence->left = 1; /* keeps it unsignalled until all commands are
				    in the queue */
	}
	for (i = 0; i < n && !result; i++)
		result = execute_list(queue, (struct list *)lists[i], fence);
	if (fence && !result && --fence->left == 0)
		fence->signaled = true;
	if (!result && queue->queue.synchronous)
		result = wait_empty(&queue->queue, UINT64_MAX);
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

/* --- fences --- */

ze_result_t ZE_APICALL zecpu_zeFenceCreate(ze_command_queue_handle_t handle,
					   const ze_fence_desc_t *desc,
					   ze_fence_handle_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeFenceCreate);
	struct command_queue *queue = (struct command_queue *)handle;
	struct fence *fence;

	if (result || !zecpu_object_is(queue, KIND_QUEUE, &result) ||
	    !zecpu_check_type(desc, ZE_STRUCTURE_TYPE_FENCE_DESC, &result) ||
	    !zecpu_check_pointer(out, "phFence", &result))
		return result;
	fence = zecpu_object_new(sizeof(*fence), KIND_FENCE);
	if (!fence)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	fence->queue = queue;
	fence->signaled = desc->flags & ZE_FENCE_FLAG_SIGNALED;
	fence->submitted = fence->signaled;
	pthread_mutex_lock(&zecpu.lock);
	queue->fences++;
	pthread_mutex_unlock(&zecpu.lock);
	*out = (ze_fence_handle_t)fence;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeFenceDestroy(ze_fence_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeFenceDestroy);
	struct fence *fence = (struct fence *)handle;

	if (result || !zecpu_object_is(fence, KIND_FENCE, &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	if (fence->left)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "the fence is destroyed before it is signalled");
	fence->queue->fences--;
	zecpu_object_end(fence);
	pthread_mutex_unlock(&zecpu.lock);
	return ZE_RESULT_SUCCESS;
}

static bool fence_done(const void *what)
{
	const struct fence *fence = what;

	return fence->signaled || fence->lost;
}

static ze_result_t fence_state(struct fence *fence, uint64_t timeout)
{
	ze_result_t result;

	pthread_mutex_lock(&zecpu.lock);
	zecpu_engine_wait(fence_done, fence, timeout);
	result = fence->lost       ? ZE_RESULT_ERROR_DEVICE_LOST
		 : fence->signaled ? ZE_RESULT_SUCCESS
				   : ZE_RESULT_NOT_READY;
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

ze_result_t ZE_APICALL zecpu_zeFenceHostSynchronize(ze_fence_handle_t fence,
						    uint64_t timeout)
{
	ze_result_t result = zecpu_enter(ENTRY_zeFenceHostSynchronize);

	if (result || !zecpu_object_is(fence, KIND_FENCE, &result))
		return result;
	return fence_state((struct fence *)fence, timeout);
}

ze_result_t ZE_APICALL zecpu_zeFenceQueryStatus(ze_fence_handle_t fence)
{
	ze_result_t result = zecpu_enter(ENTRY_zeFenceQueryStatus);

	if (result || !zecpu_object_is(fence, KIND_FENCE, &result))
		return result;
	return fence_state((struct fence *)fence, 0);
}

ze_result_t ZE_APICALL zecpu_zeFenceReset(ze_fence_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeFenceReset);
	struct fence *fence = (struct fence *)handle;

	if (result || !zecpu_object_is(fence, KIND_FENCE, &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	if (fence->left)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "the fence is reset before it is signalled");
	fence->signaled = fence->submitted = fence->lost = false;
	pthread_mutex_unlock(&zecpu.lock);
	return ZE_RESULT_SUCCESS;
}
