/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - checking a launch against the kernel's signature. */
#include <stdbool.h>

#include "core/base/call_stack.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/small_list.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/program/kernel.h"
#include "core/runtime/queue/queue.h"
#include "core/runtime/submit/local_size.h"
#include "core/runtime/submit/submit.h"

/* Arguments that fit on the stack; more are rare and go to the heap. */
#define FEW_ARGS 24

struct launch_args {
	SMALL_LIST(dprp_arg, FEW_ARGS);
};

struct launch_uses {
	SMALL_LIST(struct use, FEW_ARGS);
};

/* A launch while it is checked. */
struct launch_check {
	dpr_queue *queue;
	const dpr_device *device;
	const dpr_kernel *kernel;
	uint64_t local; /* bytes of local memory per work-group, so far */
};

/* Refuse a range of too many work-groups.  A driver need not check their
   number, and may wrap it. */
static dpr_status fail_groups(const dpr_kernel *kernel, const dpr_range *range,
			      uint32_t i)
{
	const dpr_device *device = kernel->program->device;
	uint64_t local = range->local[i], groups;
	bool chosen = local;

	/* The largest local size that the plugin can choose. */
	if (!chosen)
		local = device->max_items[i] / device->max_groups[i];
	groups = range->global[i] / local + (range->global[i] % local != 0);
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "launch %s: %llu work-groups%s in dimension %u; %s takes "
		    "at most %llu; %slet each work-item do more",
		    kernel->name, (unsigned long long)groups,
		    chosen ? "" : " or more", i, device->selector,
		    (unsigned long long)device->max_groups[i],
		    chosen ? "use larger work-groups, or " : "");
}

/* Check what is wrong on every device.  *@items: the product of the global
   sizes. */
static dpr_status check_sizes(const dpr_kernel *kernel, const dpr_range *range,
			      uint64_t *items)
{
	uint32_t i;

	if (range->flags & ~(uint32_t)(DPR_RANGE_BRIEF | DPR_RANGE_PADDED))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "launch %s: the range has the flags %#x, which are "
			    "not all in enum dpr_range_flags",
			    kernel->name, range->flags);
	if (range->dims < 1 || range->dims > 3)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"launch %s: the range has %u dimensions but must have 1 to 3",
			kernel->name, range->dims);
	*items = 1;
	for (i = 0; i < range->dims; i++) {
		if (__builtin_mul_overflow(*items, range->global[i], items))
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "launch %s: more than 2^64 work-items",
				    kernel->name);
		if (!range->local[0] != !range->local[i])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "launch %s: a local size is given for some "
				    "dimensions only",
				    kernel->name);
		if (range->local[i] && range->global[i] % range->local[i])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "launch %s: the local size %llu does not "
				    "divide the global size %llu of dimension "
				    "%u; round the global size up and check "
				    "bounds in the kernel",
				    kernel->name,
				    (unsigned long long)range->local[i],
				    (unsigned long long)range->global[i], i);
	}
	return DPR_OK;
}

/* Refuse a local size that the driver would refuse with a code alone. */
static dpr_status check_group(const dpr_kernel *kernel, const dpr_range *range)
{
	const struct kernel_limits *limits = &kernel->limits;
	uint64_t items = 1;
	uint32_t i;

	for (i = 0; i < range->dims; i++) {
		if (range->local[i] > limits->local[i])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "launch %s: the local size %llu of "
				    "dimension %u is too large; %s takes at "
				    "most %llu",
				    kernel->name,
				    (unsigned long long)range->local[i], i,
				    kernel->program->device->selector,
				    (unsigned long long)limits->local[i]);
		if (__builtin_mul_overflow(items, range->local[i], &items))
			items = UINT64_MAX;
	}
	if (items <= limits->group)
		return DPR_OK;
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "launch %s: a work-group has %llu work-items; %s takes at "
		    "most %llu for this kernel",
		    kernel->name, (unsigned long long)items,
		    kernel->program->device->selector,
		    (unsigned long long)limits->group);
}

/* Check @range.  Give @range a local size, except where it has one, is empty or
   may be padded. */
static dpr_status set_range(dpr_kernel *kernel, dpr_range *range)
{
	const dpr_device *device = kernel->program->device;
	uint64_t items;
	uint32_t i;
	dpr_status status = check_sizes(kernel, range, &items);

	if (status)
		return status;
	for (i = 0; i < range->dims; i++)
		if (range->local[i] ? range->global[i] / range->local[i] >
					      device->max_groups[i]
				    : range->global[i] > device->max_items[i])
			return fail_groups(kernel, range, i);
	if (range->local[0])
		return check_group(kernel, range);
	if (!items || range->flags & DPR_RANGE_PADDED)
		return DPR_OK;
	return local_size_set(kernel, range);
}

/* The kind of @arg in the plugin ABI. */
static uint32_t param_kind(const dpr_arg *arg)
{
	switch ((enum dpr_arg_kind)arg->kind) {
	case DPR_ARG_VALUE:
	case DPR_ARG_BYTES_AT: return DPRP_ARG_VALUE;
	case DPR_ARG_USM: return DPRP_ARG_MEM;
	case DPR_ARG_LOCAL: return DPRP_ARG_LOCAL;
	case DPR_ARG_ARRAY:
	case DPR_ARG_STRIDED:
	case DPR_ARG_BASE: break;
	}
	return DPRP_ARG_UNKNOWN;
}

static const char *kind_text(uint32_t kind)
{
	switch (kind) {
	case DPRP_ARG_VALUE: return "a value";
	case DPRP_ARG_MEM: return "memory";
	case DPRP_ARG_LOCAL: return "local memory";
	}
	return "of an unknown kind";
}

/* Check an argument against the size of its parameter: a driver that knows no
   kinds reads that many bytes of any argument. */
static dpr_status check_size(const dpr_kernel *kernel, size_t i, uint32_t kind,
			     size_t size, const dprp_param *param)
{
	unsigned long long want = param->size;

	if (!want || param->kind == DPRP_ARG_LOCAL)
		return DPR_OK;
	switch (kind) {
	case DPRP_ARG_VALUE:
		if (size == want)
			return DPR_OK;
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "launch %s: argument %zu has %zu bytes, its "
			    "parameter has %llu; cast the argument to the "
			    "parameter's type",
			    kernel->name, i, size, want);
	case DPRP_ARG_MEM:
		if (want == sizeof(void *))
			return DPR_OK;
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "launch %s: argument %zu is memory, whose address "
			    "has %zu bytes, its parameter has %llu; pass a "
			    "value of that size",
			    kernel->name, i, sizeof(void *), want);
	}
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "launch %s: argument %zu is local memory, but the kernel "
		    "does not say that its parameter is: pass a value of %llu "
		    "bytes%s; a kernel in OpenCL C must have the word local in "
		    "the parameter itself, not in a macro",
		    kernel->name, i, want,
		    want == sizeof(void *) ? ", or memory" : "");
}

static dpr_status check_param(const struct launch_check *check, size_t i,
			      const dpr_arg *arg)
{
	const dpr_kernel *kernel = check->kernel;
	const dprp_param *param;
	uint32_t kind = param_kind(arg);

	if (kind == DPRP_ARG_UNKNOWN)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "launch %s: argument %zu has kind %u, which this "
			    "call does not take",
			    kernel->name, i, arg->kind);
	if (!kernel->params_known)
		return DPR_OK;
	param = &kernel->params[i];
	if (param->kind != DPRP_ARG_UNKNOWN && param->kind != kind)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"launch %s: argument %zu is %s, its parameter is %s",
			kernel->name, i, kind_text(kind),
			kind_text(param->kind));
	return check_size(kernel, i, kind, arg->size, param);
}

static dpr_status set_value(const struct launch_check *check, size_t i,
			    const dpr_arg *arg, dprp_arg *out)
{
	bool inside = arg->kind == DPR_ARG_VALUE;

	if (!arg->size || (inside && arg->size > sizeof(arg->as.value)) ||
	    (!inside && !arg->as.bytes))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "launch %s: argument %zu is a value of %zu bytes%s",
			    check->kernel->name, i, arg->size,
			    inside || arg->as.bytes ? ", an invalid size"
						    : " at NULL");
	*out = (dprp_arg){ .kind = DPRP_ARG_VALUE,
			   .size = arg->size,
			   .u.value = inside ? (const void *)arg->as.value
					     : arg->as.bytes };
	return DPR_OK;
}

static dpr_status set_memory(const struct launch_check *check, size_t i,
			     const dpr_arg *arg, dprp_arg *out, struct use *use)
{
	dpr_usm *usm = arg->as.at.usm;
	size_t offset = arg->as.at.offset;

	if (!usm)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"launch %s: argument %zu must be memory but is NULL",
			check->kernel->name, i);
	if (usm->queue != check->queue &&
	    usm->queue->device->root != check->device->root)
		return fail(DPR_ERROR_EXECUTION_PLACEMENT,
			    "launch %s: argument %zu is memory of %s, the "
			    "queue is %s; %s the queue's device with "
			    "dpr_usm_copy()",
			    check->kernel->name, i, dpr_queue_name(usm->queue),
			    dpr_queue_name(check->queue),
			    arg->access != DPR_READ
				    ? "launch on its device, or if the kernel "
				      "only reads it, copy it to memory of"
				    : "copy it to memory of");
	if (offset >= usm->size)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "launch %s: argument %zu starts at byte %zu, but "
			    "the allocation has only %zu",
			    check->kernel->name, i, offset, usm->size);
	if (check->device->offset_align > 1 &&
	    offset % check->device->offset_align)
		return fail(
			DPR_ERROR_LAYOUT,
			"launch %s: argument %zu starts at byte %zu, but %s "
			"binds only multiples of %llu; pass the base "
			"and an element offset instead",
			check->kernel->name, i, offset, check->device->selector,
			(unsigned long long)check->device->offset_align);
	if (arg->access > DPR_READ_WRITE && arg->access != DPR_WRITE_ALL)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "launch %s: argument %zu has access %u, which is "
			    "not a value of enum dpr_access",
			    check->kernel->name, i, arg->access);
	*out = (dprp_arg){ .kind = DPRP_ARG_MEM,
			   .u.m = { usm->handle, usm->base + offset } };
	use->usm = usm;
	use->access = arg->access == DPR_NONE ? (uint32_t)USE_RAW : arg->access;
	return DPR_OK;
}

static dpr_status set_local(struct launch_check *check, size_t i,
			    const dpr_arg *arg, dprp_arg *out)
{
	if (!arg->size)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"launch %s: argument %zu is local memory of 0 bytes",
			check->kernel->name, i);
	if (__builtin_add_overflow(check->local, arg->size, &check->local))
		check->local = UINT64_MAX;
	*out = (dprp_arg){ .kind = DPRP_ARG_LOCAL, .size = arg->size };
	return DPR_OK;
}

/* A driver need not check the size of local memory: PoCL ends the process when
   such a command runs. */
static dpr_status check_local_memory(const struct launch_check *check)
{
	if (check->local <= check->device->local_memory)
		return DPR_OK;
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "launch %s: a work-group needs %llu bytes of local memory, "
		    "%llu of them for the kernel's own variables; %s has "
		    "only %llu",
		    check->kernel->name, (unsigned long long)check->local,
		    (unsigned long long)check->kernel->local_size,
		    check->device->selector,
		    (unsigned long long)check->device->local_memory);
}

/* Check the arguments and put them into the ABI's form. */
static dpr_status set_args(struct launch_check *check, const dpr_arg *args,
			   size_t n, dprp_arg *out, struct use *uses,
			   size_t *n_uses)
{
	dpr_status status;
	size_t i;

	for (i = 0; i < n; i++) {
		status = check_param(check, i, &args[i]);
		if (status)
			return status;
		switch (param_kind(&args[i])) {
		case DPRP_ARG_VALUE:
			status = set_value(check, i, &args[i], &out[i]);
			break;
		case DPRP_ARG_MEM:
			status = set_memory(check, i, &args[i], &out[i],
					    &uses[(*n_uses)++]);
			break;
		default: status = set_local(check, i, &args[i], &out[i]);
		}
		if (status)
			return status;
	}
	return check_local_memory(check);
}

/* Check all but the arguments, and set the local size. */
static dpr_status check_call(const dpr_queue *queue, dpr_kernel *kernel,
			     dpr_range *range, const dpr_arg *args,
			     size_t n_args)
{
	dpr_device *device;
	dpr_status status;

	status = process_check("launch");
	if (status)
		return status;
	if (!queue || !kernel || (n_args && !args))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "launch: the %s is NULL",
			    !queue    ? "queue"
			    : !kernel ? "kernel"
				      : "argument list");
	device = dpr_queue_device(queue);
	if (kernel->program->device != device)
		return fail(DPR_ERROR_EXECUTION_PLACEMENT,
			    "launch %s: the kernel was built for %s, the queue "
			    "is %s; build it for the queue's device",
			    kernel->name, kernel->program->device->selector,
			    dpr_queue_name(queue));
	if (kernel->params_known && n_args != kernel->n_params)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"launch %s: %zu arguments are given, the kernel takes %u",
			kernel->name, n_args, kernel->n_params);
	if (n_args > UINT32_MAX)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "launch %s: too many arguments", kernel->name);
	return set_range(kernel, range);
}

/* Record that an empty launch keeps the old contents. */
static void keep_contents(struct use *uses, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		uses[i].access &= ~(uint32_t)USE_WHOLE;
}

static bool is_empty(const dprp_launch *launch)
{
	return !launch->global[0] || !launch->global[1] || !launch->global[2];
}

/* Set all but the uses and the arguments. */
static void set_operation(struct operation *operation, const dpr_queue *queue,
			  dpr_kernel *kernel, const dpr_range *range)
{
	dprp_launch *launch = &operation->u.launch.launch;

	for (uint32_t i = 0; i < 3; i++) {
		const bool there = i < range->dims;

		launch->global[i] = there ? range->global[i] : 1;
		launch->local[i] = !range->local[0] ? 0
				   : there          ? range->local[i]
						    : 1;
	}
	launch->struct_size = sizeof(*launch);
	launch->dims = range->dims;
	launch->ext = NULL;
	/* A plugin of version 1.0 does not know the member. */
	launch->flags = range->flags & DPR_RANGE_BRIEF &&
					queue->plugin->desc->abi_minor >= 1
				? DPRP_LAUNCH_BRIEF
				: 0;
	operation->u.launch.kernel = kernel;
	operation->name = call_stack_title_or(kernel->name);
	operation->carry = NULL;
	operation->waits = false;
	/* An empty range runs nothing, but must end after the work before it.
	   On an in-order queue it is a barrier.  Otherwise it is a launch that
	   waits for its dependencies. */
	operation->kind = is_empty(launch) && queue->in_order
				  ? OPERATION_BARRIER
				  : OPERATION_LAUNCH;
}

dpr_status dpr_kernel_launch_usm(dpr_queue *queue, dpr_kernel *kernel,
				 dpr_range range, const dpr_events *after,
				 dpr_event **done, const dpr_arg *args,
				 size_t n_args)
{
	TRACE_CALL;
	HANDLES(queue, kernel, after, done, handle_args(args, n_args));
	struct launch_check check = { queue, NULL, kernel, 0 };
	struct launch_uses uses;
	struct launch_args list;
	struct operation operation;
	dpr_status status;

	if (done)
		*done = NULL;
	status = check_call(queue, kernel, &range, args, n_args);
	if (status)
		return status;
	check.device = dpr_queue_device(queue);
	check.local = kernel->local_size;
	small_list_init(&uses);
	small_list_init(&list);
	if (!small_list_reserve(&uses, n_args) ||
	    !small_list_reserve(&list, n_args)) {
		status = fail_memory("launch");
		goto out;
	}
	operation.n_uses = 0;
	status = set_args(&check, args, n_args, list.list, uses.list,
			  &operation.n_uses);
	if (status)
		goto out;
	set_operation(&operation, queue, kernel, &range);
	operation.uses = uses.list;
	operation.u.launch.launch.n_args = (uint32_t)n_args;
	operation.u.launch.launch.args = list.list;
	if (is_empty(&operation.u.launch.launch))
		keep_contents(uses.list, operation.n_uses);
	status = submit_operation(queue, &operation, after, done);
	if (!status)
		trace_add_launch();
out:
	small_list_fini(&list);
	small_list_fini(&uses);
	return status;
}
