/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_launch.c - launching kernels.
 *
 * Arguments and the size of work-groups belong to a ze_kernel.  So no other
 * thread uses a launch's ze_kernel until the driver has accepted the command.
 * The launch sets only what differs from the last launch with that ze_kernel.
 * None of this needs heap memory.
 */
#include "ze_programs.h"

struct ze_launch_shape {
	uint32_t local[3];
	ze_group_count_t groups;
};

/* --- Arguments ------------------------------------------------------------ */

static dprp_rc refuse_arg(const dprp_kernel *kernel, uint32_t index, dprp_rc rc,
			  const char *why)
{
	return dprh_fail(kernel->instance->host, rc, 0,
			 "argument %u of kernel %s: %s", (unsigned)index,
			 kernel->name, why);
}

/* Check an argument against the table, if there is one. */
static dprp_rc check_arg(const dprp_kernel *kernel, uint32_t index,
			 const dprp_arg *arg)
{
	const dprp_param *param;

	if (!kernel->params_known)
		return DPR_RC_OK;
	param = &kernel->params[index];
	if (param->kind == DPRP_ARG_UNKNOWN)
		return refuse_arg(kernel, index, DPR_RC_UNSUPPORTED,
				  "the parameter is an image or a sampler, "
				  "which the Level Zero backend does not "
				  "support");
	if (arg->kind != param->kind)
		return refuse_arg(
			kernel, index, DPR_RC_INVALID,
			param->kind == DPRP_ARG_MEM
				? "the parameter is a pointer to memory"
			: param->kind == DPRP_ARG_LOCAL
				? "the parameter is local memory"
				: "the parameter is a value");
	if (arg->kind == DPRP_ARG_VALUE && param->size && param->size != arg->size)
		return refuse_arg(kernel, index, DPR_RC_INVALID,
				  "the parameter has another size");
	return DPR_RC_OK;
}

static dprp_rc call_driver(const dprp_kernel *kernel, ze_kernel_handle_t ze,
			   uint32_t index, size_t size, const void *value)
{
	ze_result_t result = kernel->instance->ze.zeKernelSetArgumentValue(
		ze, index, size, value);

	if (!result)
		return DPR_RC_OK;
	return dprh_fail(kernel->instance->host, ze_error_rc(result),
			 (int64_t)result,
			 "argument %u of kernel %s, %zu bytes: "
			 "zeKernelSetArgumentValue: %s (%#x)",
			 (unsigned)index, kernel->name, size,
			 ze_error_name(result), (unsigned)result);
}

/* Whether the ze_kernel has this argument already.  Memory is compared by its
   serial number, because a later allocation may have the same address. */
static bool is_set(const struct ze_arg *old, const dprp_arg *arg)
{
	const dprp_mem *mem;

	if (old->kind != arg->kind)
		return false;
	switch (arg->kind) {
	case DPRP_ARG_VALUE:
		return old->size == arg->size &&
		       memcmp(old->bytes, arg->u.value, arg->size) == 0;
	case DPRP_ARG_LOCAL: return old->size == arg->size;
	case DPRP_ARG_MEM:
		mem = arg->u.m.mem;
		return old->serial == (mem ? mem->serial : 0) &&
		       old->offset == arg->u.m.offset;
	default: return false;
	}
}

static void remember(struct ze_arg *old, const dprp_arg *arg)
{
	if (arg->kind == DPRP_ARG_VALUE && arg->size > old->room)
		return;
	old->kind = arg->kind;
	old->size = arg->size;
	if (arg->kind == DPRP_ARG_VALUE) {
		memcpy(old->bytes, arg->u.value, arg->size);
	} else if (arg->kind == DPRP_ARG_MEM) {
		old->serial = arg->u.m.mem ? arg->u.m.mem->serial : 0;
		old->offset = arg->u.m.offset;
	}
}

/* The address that an argument gives; NULL: no memory. */
static const void *address_of(const dprp_arg *arg)
{
	const dprp_mem *mem = arg->u.m.mem;

	return mem ? mem->address + arg->u.m.offset : NULL;
}

static dprp_rc set_arg(const dprp_kernel *kernel, struct ze_kernel *taken,
		       uint32_t index, const dprp_arg *arg)
{
	struct ze_arg *old = &taken->args[index];
	const void *address;
	dprp_rc rc;

	if (is_set(old, arg))
		return DPR_RC_OK;
	rc = check_arg(kernel, index, arg);
	if (rc)
		return rc;
	old->kind = DPRP_ARG_UNKNOWN;
	switch (arg->kind) {
	case DPRP_ARG_VALUE:
		rc = call_driver(kernel, taken->ze, index, (size_t)arg->size,
				 arg->u.value);
		break;
	case DPRP_ARG_LOCAL:
		rc = call_driver(kernel, taken->ze, index, (size_t)arg->size,
				 NULL);
		break;
	case DPRP_ARG_MEM:
		address = address_of(arg);
		rc = call_driver(kernel, taken->ze, index, sizeof(address),
				 address ? &address : NULL);
		break;
	default:
		return refuse_arg(kernel, index, DPR_RC_UNSUPPORTED,
				  "its kind is unknown");
	}
	if (!rc)
		remember(old, arg);
	return rc;
}

/* --- Sizes ---------------------------------------------------------------- */

static dprp_rc check_local(const dprp_kernel *kernel, const uint32_t *local)
{
	const dprp_host *host = kernel->instance->host;
	const ze_device_compute_properties_t *limits =
		&kernel->module->device->compute;
	const uint32_t most[3] = { limits->maxGroupSizeX, limits->maxGroupSizeY,
				   limits->maxGroupSizeZ };
	uint64_t items = 1;
	unsigned i;

	for (i = 0; i < 3; i++) {
		if (!local[i] || local[i] > most[i])
			return dprh_fail(
				host, DPR_RC_INVALID, 0,
				"kernel %s: on this device a work-group has 1 to %u "
				"work-items in dimension %u, not %u",
				kernel->name, (unsigned)most[i], i,
				(unsigned)local[i]);
		if (kernel->required[0] && local[i] != kernel->required[i])
			return dprh_fail(
				host, DPR_RC_INVALID, 0,
				"kernel %s requires work-groups of %llu x %llu "
				"x %llu",
				kernel->name,
				(unsigned long long)kernel->required[0],
				(unsigned long long)kernel->required[1],
				(unsigned long long)kernel->required[2]);
		items *= local[i];
	}
	if (items <= kernel->max_group)
		return DPR_RC_OK;
	return dprh_fail(host, DPR_RC_INVALID, 0,
			 "kernel %s takes work-groups of %u work-items "
			 "at most, not %llu",
			 kernel->name, (unsigned)kernel->max_group,
			 (unsigned long long)items);
}

/* Choose the local size: the launch's, or else the plugin's choice. */
static dprp_rc set_local(const dprp_kernel *kernel, const dprp_launch *launch,
			 uint32_t *local)
{
	uint32_t i;

	if (!launch->local[0]) {
		memcpy(local, kernel->choice[launch->dims - 1],
		       sizeof(kernel->choice[0]));
		return DPR_RC_OK;
	}
	for (i = 0; i < 3; i++)
		local[i] = i >= launch->dims ? 1
			   : launch->local[i] > UINT32_MAX
				   ? UINT32_MAX
				   : (uint32_t)launch->local[i];
	return check_local(kernel, local);
}

static dprp_rc set_shape(const dprp_kernel *kernel, const dprp_launch *launch,
			 struct ze_launch_shape *shape)
{
	const ze_device_compute_properties_t *limits =
		&kernel->module->device->compute;
	const uint32_t most[3] = { limits->maxGroupCountX,
				   limits->maxGroupCountY,
				   limits->maxGroupCountZ };
	uint64_t groups[3] = { 1, 1, 1 };
	uint32_t i;
	dprp_rc rc = set_local(kernel, launch, shape->local);

	for (i = 0; i < launch->dims && !rc; i++) {
		groups[i] = launch->global[i] / shape->local[i] +
			    (launch->global[i] % shape->local[i] != 0);
		if (groups[i] > most[i])
			rc = dprh_fail(
				kernel->instance->host, DPR_RC_INVALID, 0,
				"kernel %s: %llu work-groups in dimension "
				"%u, but the device allows %u: put the long "
				"dimension first, or make the work-groups "
				"larger",
				kernel->name, (unsigned long long)groups[i],
				(unsigned)i, (unsigned)most[i]);
	}
	shape->groups.groupCountX = (uint32_t)groups[0];
	shape->groups.groupCountY = (uint32_t)groups[1];
	shape->groups.groupCountZ = (uint32_t)groups[2];
	return rc;
}

/* --- The launch ----------------------------------------------------------- */

/* Set what has changed since the last launch with this ze_kernel. */
static dprp_rc set_all(dprp_kernel *kernel, struct ze_kernel *taken,
		       const dprp_launch *launch,
		       const struct ze_launch_shape *shape)
{
	const uint32_t *local = shape->local;
	dprp_rc rc = DPR_RC_OK;
	uint32_t i;

	if (memcmp(taken->local, local, sizeof(taken->local)) != 0) {
		memset(taken->local, 0, sizeof(taken->local));
		rc = ZE_TRY_ON(kernel->module->device, zeKernelSetGroupSize,
			       taken->ze, local[0], local[1], local[2]);
		if (!rc)
			memcpy(taken->local, local, sizeof(taken->local));
	}
	for (i = 0; i < launch->n_args && !rc; i++)
		rc = set_arg(kernel, taken, i, &launch->args[i]);
	return rc;
}

static dprp_rc submit_kernel(dprp_queue *queue, dprp_kernel *kernel,
			     const dprp_launch *launch, const dprp_deps *deps,
			     dprp_event **event)
{
	struct ze_launch_shape shape;
	struct ze_kernel *taken;
	struct ze_submit submit;
	ze_result_t result;
	dprp_rc rc = set_shape(kernel, launch, &shape);

	if (!rc)
		rc = ze_kernel_take(kernel, &taken);
	if (rc)
		return rc;
	rc = set_all(kernel, taken, launch, &shape);
	if (!rc)
		rc = ze_submit_begin(&submit, queue, ZE_ENGINE_COMPUTE, deps,
				     event);
	if (!rc) {
		result = queue->instance->ze.zeCommandListAppendLaunchKernel(
			submit.list, taken->ze, &shape.groups, submit.signal,
			submit.n_waits, submit.waits);
		rc = ze_submit_end(&submit, result,
				   "zeCommandListAppendLaunchKernel");
	}
	ze_kernel_give(kernel, taken);
	return rc;
}

dprp_rc ze_launch(dprp_queue *queue, dprp_kernel *kernel,
		  const dprp_launch *theirs, const dprp_deps *deps,
		  dprp_event **event)
{
	dprp_launch launch;
	dprp_rc rc = dprh_take_launch(queue->instance->host, kernel->name,
				      kernel->n_params, theirs, &launch, event);

	if (rc)
		return rc;
	if (dprh_launch_is_empty(&launch))
		return ze_submit_nothing(queue, deps, event);
	return submit_kernel(queue, kernel, &launch, deps, event);
}
