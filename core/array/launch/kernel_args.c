/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_args.c - passes arrays as arguments of a program's own kernel.
   engine/launch_plan.c makes the arguments of dpr's kernels. */
#include <string.h>

#include <dpr/device.h>
#include <dpr/kernel.h>
#include <dpr/launch.h>
#include <dpr/queue.h>

#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* Up to FEW_ARGS arguments and FEW_STRIDED strided arrays fit on the stack.  A
   launch with more, which is rare, uses the heap. */
#define FEW_ARGS 24
#define FEW_STRIDED 4

/* A launch whose arguments are being rewritten. */
struct rewrite {
	const char *name; /* the name of the kernel */
	dpr_queue *queue;
	dpr_arg *out;
	size_t n_out;
	dpr_strided *strided;
	size_t n_strided;
	/* memory that is passed in place of arrays without memory */
	dpr_usm *placeholder;
};

static dpr_status check_array(const struct rewrite *r, size_t i,
			      const dpr_arg *arg)
{
	const dpr_array *x = arg->as.array;
	const char *cure;

	if (!x)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "launch %s: argument %zu is a NULL array", r->name,
			    i);
	if (x->queue == r->queue)
		return DPR_OK;
	/* dpr_array_to_device() may make a copy.  The caller would not see what
	   a kernel writes to the copy. */
	cure = arg->access != DPR_READ
		       ? "launch where it is written, on dpr_array_queue(x), "
			 "or if the kernel only reads it, move it"
		       : "move it";
	if (dpr_queue_is_canonical(r->queue))
		return fail(DPR_ERROR_EXECUTION_PLACEMENT,
			    "launch %s: argument %zu is on %s, but the launch "
			    "is on %s; %s with dpr_array_to_device(x, <%s>, "
			    "&moved)",
			    r->name, i, dpr_queue_name(x->queue),
			    dpr_queue_name(r->queue), cure,
			    dpr_device_selector(dpr_queue_device(r->queue)));
	return fail(DPR_ERROR_EXECUTION_PLACEMENT,
		    "launch %s: argument %zu is on %s, but the launch is on "
		    "%s; %s with dpr_array_to_queue(x, queue, &moved)",
		    r->name, i, dpr_queue_name(x->queue),
		    dpr_queue_name(r->queue), cure);
}

/* Whether a kernel's argument may point @offset bytes into the allocation of
   @x. */
static bool can_bind(const dpr_array *x, size_t offset)
{
	uint64_t align;

	if (!offset || dpr_usm_address(x->usm))
		return true;
	return dpr_device_info_u64(dpr_queue_device(x->queue),
				   DPR_INFO_SUB_BUFFER_ALIGN, &align) ||
	       !align || offset % align == 0;
}

static dpr_status check_pointer(const struct rewrite *r, size_t i,
				const dpr_array *x, size_t offset)
{
	if (!x->contiguous)
		return fail(DPR_ERROR_LAYOUT,
			    "launch %s: argument %zu is an array that is not "
			    "C-contiguous; make it so with dpr_copy(), or pass "
			    "DPR_STRIDED(x) to a kernel that takes a base "
			    "pointer and a struct dpr_strided",
			    r->name, i);
	if (!can_bind(x, offset))
		return fail(
			DPR_ERROR_LAYOUT,
			"launch %s: argument %zu is an array that starts at "
			"byte %zu of its allocation, which %s cannot bind; "
			"use dpr_copy(), or pass DPR_STRIDED(x) to a kernel "
			"that takes a base pointer and a struct "
			"dpr_strided",
			r->name, i, offset, dpr_queue_name(r->queue));
	return DPR_OK;
}

/* Add the allocation of @x, or the placeholder if @x has none.  On every
   backend a pointer parameter of a kernel needs memory, even if no work-item
   uses it. */
static dpr_status add_memory(struct rewrite *r, const dpr_array *x,
			     size_t offset, uint32_t access)
{
	dpr_status status = DPR_OK;

	if (!x->usm && !r->placeholder)
		status = dpr_usm_alloc(r->queue, DPR_USM_DEVICE, 16,
				       &r->placeholder);
	if (!status)
		r->out[r->n_out++] =
			x->usm ? dpr_arg_usm_use(x->usm, offset, access)
			       : dpr_arg_usm_use(r->placeholder, 0, DPR_NONE);
	return status;
}

static dpr_status add_strided(struct rewrite *r, size_t i, const dpr_array *x)
{
	dpr_strided *s = &r->strided[r->n_strided++];

	if (x->rank > 8)
		return fail(DPR_ERROR_LAYOUT,
			    "launch %s: argument %zu is an array of %d axes; "
			    "DPR_STRIDED passes up to 8: join some with "
			    "dpr_reshape()",
			    r->name, i, x->rank);
	memset(s, 0, sizeof(*s));
	s->offset = x->offset;
	s->rank = x->rank;
	for (int k = 0; k < x->rank; k++) {
		s->shape[k] = x->dim[k];
		s->stride[k] = x->dim[x->rank + k];
	}
	r->out[r->n_out++] = dpr_arg_bytes(s, sizeof(*s));
	return DPR_OK;
}

static dpr_status add_arg(struct rewrite *r, size_t i, const dpr_arg *arg)
{
	const dpr_array *x = arg->as.array;
	dpr_status status;
	size_t offset;

	if (arg->kind != DPR_ARG_ARRAY && arg->kind != DPR_ARG_STRIDED &&
	    arg->kind != DPR_ARG_BASE) {
		r->out[r->n_out++] = *arg;
		return DPR_OK;
	}
	status = check_array(r, i, arg);
	if (status)
		return status;
	if (arg->kind == DPR_ARG_ARRAY) {
		offset = (size_t)x->offset * dpr_dtype_size(x->dtype);
		status = check_pointer(r, i, x, offset);
		return status ? status : add_memory(r, x, offset, arg->access);
	}
	status = add_memory(r, x, 0, arg->access);
	if (status || arg->kind == DPR_ARG_BASE)
		return status;
	return add_strided(r, i, x);
}

dpr_status dpr_kernel_launch_args(dpr_queue *queue, dpr_kernel *kernel,
				  dpr_range range, const dpr_events *after,
				  dpr_event **done, const dpr_arg *args,
				  size_t n_args)
{
	TRACE_CALL;
	HANDLES(queue, kernel, after, done, handle_args(args, n_args));
	struct rewrite r = { .queue = queue };
	dpr_strided few_strided[FEW_STRIDED];
	size_t arrays = 0, strided = 0;
	dpr_arg few[FEW_ARGS];
	dpr_status status = DPR_OK;

	if (done)
		*done = NULL;
	for (size_t i = 0; args && i < n_args; i++) {
		strided += args[i].kind == DPR_ARG_STRIDED;
		arrays += args[i].kind == DPR_ARG_ARRAY ||
			  args[i].kind == DPR_ARG_BASE;
	}
	/* dpr_kernel_launch_usm() refuses a kernel of another device.  The call
	   comes before the arrays are checked, so that this error comes before
	   errors of the arrays. */
	if (!queue || !kernel || !(arrays + strided) ||
	    dpr_kernel_device(kernel) != dpr_queue_device(queue))
		return dpr_kernel_launch_usm(queue, kernel, range, after, done,
					     args, n_args);
	r.name = dpr_kernel_name(kernel);
	r.out = few;
	r.strided = few_strided;
	if (n_args + strided > FEW_ARGS)
		r.out = mem_array(n_args + strided, sizeof(*r.out));
	if (strided > FEW_STRIDED)
		r.strided = mem_array(strided, sizeof(*r.strided));
	if (!r.out || !r.strided)
		status = fail_memory("launch");
	for (size_t i = 0; !status && i < n_args; i++)
		status = add_arg(&r, i, &args[i]);
	if (!status)
		status = dpr_kernel_launch_usm(queue, kernel, range, after,
					       done, r.out, r.n_out);
	dpr_usm_release(r.placeholder);
	if (r.out != few)
		mem_free(r.out);
	if (r.strided != few_strided)
		mem_free(r.strided);
	return status;
}
