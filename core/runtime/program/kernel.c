/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.c - kernels: entry points of programs, and their parameters. */
#include "core/runtime/program/kernel.h"

#include <string.h>

#include "core/base/handles/handles.h"
#include "core/base/live.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"
#include "core/runtime/device/info.h"

static void kernel_destroy(dpr_kernel *kernel)
{
	if (kernel->handle && process_alive())
		kernel->program->device->plugin->module.kernel_destroy(
			kernel->handle);
	dpr_program_release(kernel->program);
	mem_free(kernel->params);
	mem_free(kernel->name);
	handles_free(kernel, mem_free);
	live_drop(LIVE_KERNEL);
}

static dprp_rc kernel_query(const dpr_kernel *kernel, uint32_t key, void *value,
			    size_t capacity, size_t *need)
{
	const dpr_device *device = kernel->program->device;

	return device->plugin->module.kernel_info(
		kernel->handle, device->handle, key, value, capacity, need);
}

/* Read the kernel's parameters, if the plugin reports them. */
static dpr_status read_params(dpr_kernel *kernel)
{
	const struct plugin *plugin = kernel->program->device->plugin;
	size_t size = 0, again;

	if (kernel_query(kernel, DPRP_KERNEL_PARAMS, NULL, 0, &size))
		return DPR_OK;
	kernel->params = mem_alloc(size);
	if (!kernel->params)
		return fail_memory("kernel");
	again = size;
	if (size && kernel_query(kernel, DPRP_KERNEL_PARAMS, kernel->params,
				 size, &again))
		return DPR_OK;
	if (again != size || size % sizeof(*kernel->params))
		return plugin_status(
			plugin,
			plugin_broke(plugin, "K5",
				     "module->kernel_info gave %zu bytes of "
				     "parameters, and then %zu; each has %zu",
				     size, again, sizeof(*kernel->params)),
			"kernel %s", text_quote(kernel->name).bytes);
	kernel->n_params = (uint32_t)(size / sizeof(*kernel->params));
	kernel->params_known = true;
	return DPR_OK;
}

/* Read the size of the kernel's local variables.  Called before any argument is
   set, because drivers count local arguments, too. */
static void read_local_size(dpr_kernel *kernel)
{
	size_t size = 0;

	if (kernel_query(kernel, DPRP_KERNEL_LOCAL_SIZE, &kernel->local_size,
			 sizeof(kernel->local_size), &size))
		kernel->local_size = 0;
}

static void read_compiles_late(dpr_kernel *kernel)
{
	uint64_t late = 0;
	size_t size = 0;

	if (kernel_query(kernel, DPRP_KERNEL_COMPILES_LATE, &late, sizeof(late),
			 &size))
		late = 0;
	kernel->exit_waits = late == 2;
	kernel->compiles_late = late && late != 2;
}

/* How many threads execute native code on @device. */
static uint64_t ask_threads(const dpr_device *device)
{
	uint64_t units = 0;
	size_t size = 0;

	return !info_ask(device->plugin, device->handle, DPR_INFO_COMPUTE_UNITS,
			 &units, sizeof(units), &size) &&
			       units
		       ? units
		       : 1;
}

/* Collect the limits of the local size.  Called after read_compiles_late(). */
static void read_limits(dpr_kernel *kernel)
{
	struct kernel_limits *limits = &kernel->limits;
	const dpr_device *device = kernel->program->device;
	uint64_t most = 0;
	size_t size = 0;

	memcpy(limits->groups, device->max_groups, sizeof(limits->groups));
	memcpy(limits->local, device->max_local, sizeof(limits->local));
	limits->group = device->max_group;
	limits->compiles = kernel->compiles_late;
	if (kernel->program->is_native)
		limits->threads = ask_threads(device);
	if (!kernel_query(kernel, DPRP_KERNEL_MAX_WORK_GROUP, &most,
			  sizeof(most), &size) &&
	    most && most < limits->group)
		limits->group = most;
	if (kernel_query(kernel, DPRP_KERNEL_REQUIRED_LOCAL, limits->required,
			 sizeof(limits->required), &size) ||
	    !limits->required[0] || !limits->required[1] ||
	    !limits->required[2])
		memset(limits->required, 0, sizeof(limits->required));
}

bool kernel_exit_waits(dpr_kernel *kernel, const dprp_launch *launch)
{
	uint64_t hash = launch->dims, width = 1, bit;
	_Atomic uint64_t *word;
	int i;

	/* Brief work takes microseconds once it begins. */
	if (kernel->exit_waits)
		return !(launch->flags & DPRP_LAUNCH_BRIEF);
	if (!kernel->compiles_late)
		return false;
	for (i = 0; i < 3; i++) {
		hash = (hash ^ launch->local[i]) * UINT64_C(0x9e3779b97f4a7c15);
		if (launch->global[i] > width)
			width = launch->global[i];
	}
	word = &kernel->launched[hash >> 60];
	bit = UINT64_C(1) << (63 - __builtin_clzll(width));
	if (atomic_load_explicit(word, memory_order_relaxed) & bit)
		return false;
	return !(atomic_fetch_or(word, bit) & bit);
}

dpr_status dpr_kernel_create(dpr_program *program, const char *name,
			     dpr_kernel **out)
{
	TRACE_CALL;
	HANDLES(program, out);
	const struct plugin *plugin;
	dpr_kernel *kernel;
	dpr_status status;
	dprp_rc rc;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "kernel: out is NULL");
	*out = NULL;
	status = process_check("kernel");
	if (status)
		return status;
	if (!program || !name)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "kernel: the %s is NULL",
			    program ? "name" : "program");
	plugin = program->device->plugin;
	kernel = mem_alloc(sizeof(*kernel));
	if (!kernel)
		return fail_memory("kernel");
	live_add(LIVE_KERNEL);
	refs_init(&kernel->refs);
	kernel->program = dpr_program_retain(program);
	kernel->name = mem_string(name);
	if (!kernel->name) {
		status = fail_memory("kernel");
		goto err;
	}
	rc = plugin->module.kernel(program->handle, name, &kernel->handle);
	rc = plugin_made(plugin, "module->kernel", rc, kernel->handle);
	if (rc) {
		kernel->handle = NULL;
		status = plugin_status(plugin, rc, "kernel %s",
				       text_quote(name).bytes);
		if (rc == DPR_RC_INVALID)
			status = DPR_ERROR_NOT_FOUND;
		goto err;
	}
	status = read_params(kernel);
	if (status)
		goto err;
	read_local_size(kernel);
	read_compiles_late(kernel);
	read_limits(kernel);
	*out = kernel;
	return DPR_OK;
err:
	kernel_destroy(kernel);
	return status;
}

dpr_kernel *dpr_kernel_retain(dpr_kernel *kernel)
{
	HANDLES_RETAIN(kernel);
	if (kernel)
		refs_take(&kernel->refs);
	return kernel;
}

/* Release one reference.  Returns whether it was the last. */
static bool drop_reference(dpr_kernel *kernel)
{
	return kernel && refs_drop(&kernel->refs);
}

static bool free_reaped(struct reap_node *node, uint64_t deadline)
{
	(void)deadline;
	kernel_destroy(
		(dpr_kernel *)((char *)node - offsetof(dpr_kernel, reaped)));
	return true;
}

static void leave_to_reap(dpr_kernel *kernel)
{
	kernel->reaped.root = kernel->program->device->root;
	kernel->reaped.what = REAP_CODE;
	kernel->reaped.free = free_reaped;
	reap_add(&kernel->reaped);
}

void kernel_release_later(dpr_kernel *kernel)
{
	if (drop_reference(kernel))
		leave_to_reap(kernel);
}

void dpr_kernel_release(dpr_kernel *kernel)
{
	HANDLES_RELEASE(dpr_kernel_release, kernel);
	if (!drop_reference(kernel))
		return;
	if (reap_is_elsewhere())
		leave_to_reap(kernel);
	else
		kernel_destroy(kernel);
}

const char *dpr_kernel_name(const dpr_kernel *kernel)
{
	HANDLES_GET(kernel);
	return kernel ? kernel->name : "";
}

dpr_device *dpr_kernel_device(const dpr_kernel *kernel)
{
	HANDLES_GET(kernel);
	return kernel ? kernel->program->device : NULL;
}

dpr_status dpr_kernel_get_info(const dpr_kernel *kernel, dpr_kernel_info *out)
{
	TRACE_CALL;
	HANDLES(kernel);
	dpr_status status;
	size_t i, size;

	if (out)
		memset(out, 0, sizeof(*out));
	status = process_check("kernel info");
	if (status)
		return status;
	if (!kernel || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "kernel info: the kernel or out is NULL");
	out->n_args = kernel->n_params;
	{
		const struct {
			uint32_t key;
			void *value;
			size_t size;
		} list[] = {
			{ DPRP_KERNEL_MAX_WORK_GROUP, &out->max_work_group_size,
			  8 },
			{ DPRP_KERNEL_PREFERRED_MULTIPLE,
			  &out->preferred_multiple, 8 },
			{ DPRP_KERNEL_PRIVATE_SIZE, &out->private_size, 8 },
			{ DPRP_KERNEL_LOCAL_SIZE, &out->local_size, 8 },
			{ DPRP_KERNEL_REQUIRED_LOCAL, out->required_local,
			  sizeof(out->required_local) },
			{ DPRP_KERNEL_MAX_SUB_GROUP, &out->max_sub_group_size,
			  8 },
			{ DPRP_KERNEL_MAX_SUB_GROUPS, &out->max_sub_groups, 8 },
		};

		/* Values that the driver does not report stay 0. */
		for (i = 0; i < sizeof(list) / sizeof(*list); i++)
			if (kernel_query(kernel, list[i].key, list[i].value,
					 list[i].size, &size))
				memset(list[i].value, 0, list[i].size);
	}
	return DPR_OK;
}

dpr_status dpr_kernel_param(const dpr_kernel *kernel, uint32_t index,
			    enum dpr_param_kind *kind, size_t *size)
{
	TRACE_CALL;
	HANDLES(kernel);
	dpr_status status = process_check("kernel parameter");

	if (kind)
		*kind = DPR_PARAM_UNKNOWN;
	if (size)
		*size = 0;
	if (status)
		return status;
	if (!kernel || !kind || !size)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"kernel parameter: the kernel, kind or size is NULL");
	if (!kernel->params_known)
		return fail(
			DPR_ERROR_UNSUPPORTED,
			"kernel %s: %s does not report the parameters of kernels",
			kernel->name, kernel->program->device->selector);
	if (index >= kernel->n_params)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"kernel %s has no parameter %u: it has %u parameters, "
			"counted from 0",
			kernel->name, index, kernel->n_params);
	*kind = (enum dpr_param_kind)kernel->params[index].kind;
	*size = (size_t)kernel->params[index].size;
	return DPR_OK;
}
