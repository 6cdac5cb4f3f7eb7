/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_launch.c - launching kernels. */
#include "cuda_programs.h"

/* At most this many arguments, of this many bytes in all, need no allocated
   memory. */
#define FEW_ARGS 128
#define FEW_BYTES 6144
/* The alignment of the largest vector of OpenCL C. */
#define LOCAL_ALIGN 128
/* The local memory that every kernel may use; more needs enlarge(). */
#define PLAIN_LOCAL (48 * 1024)

/* The arguments in the driver's form: pointers to the values. */
struct cuda_launch_args {
	void **places;
	unsigned char *bytes;
	size_t used;
	uint64_t local; /* bytes of local memory given to arguments so far */
	void *block;    /* of the host, or NULL */
	void *few_places[FEW_ARGS];
	_Alignas(16) unsigned char few_bytes[FEW_BYTES];
};

struct cuda_launch_shape {
	unsigned int grid[3], block[3];
};

/* --- Arguments ------------------------------------------------------------ */

/* The bytes that are reserved for an argument. */
static size_t room_for(const dprp_arg *arg)
{
	if (arg->kind != DPRP_ARG_VALUE)
		return 16;
	return ((size_t)arg->size + 15) / 16 * 16;
}

/* Find room for all arguments: on the stack, unless there are many. */
static dprp_rc args_begin(struct cuda_launch_args *args,
			  const dprp_kernel *kernel, const dprp_launch *launch)
{
	const dprp_host *host = kernel->instance->host;
	size_t bytes = 0;
	uint32_t i;

	args->places = args->few_places;
	args->bytes = args->few_bytes;
	args->used = 0;
	args->local = 0;
	args->block = NULL;
	for (i = 0; i < launch->n_args; i++) {
		if (launch->args[i].kind == DPRP_ARG_VALUE &&
		    launch->args[i].size > CUDA_TABLE_PARAMS)
			return dprh_fail(
				host, DPR_RC_INVALID, 0,
				"argument %u of kernel %s has %llu bytes; "
				"all parameters together cannot have that "
				"many",
				i, kernel->name,
				(unsigned long long)launch->args[i].size);
		bytes += room_for(&launch->args[i]);
	}
	if (launch->n_args <= FEW_ARGS && bytes <= FEW_BYTES)
		return DPR_RC_OK;
	if (launch->n_args > CUDA_TABLE_PARAMS)
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "kernel %s: %u arguments are too many",
				 kernel->name, launch->n_args);
	args->block =
		dprh_alloc(host, 1, bytes + launch->n_args * sizeof(void *));
	if (!args->block)
		return dprh_no_memory(host, "a kernel's arguments");
	args->bytes = args->block;
	args->places = (void **)(args->bytes + bytes);
	return DPR_RC_OK;
}

static void args_end(struct cuda_launch_args *args, const dprp_kernel *kernel)
{
	if (args->block)
		dprh_free(kernel->instance->host, args->block);
}

/* Copy a value to memory that stays until the driver has read it. */
static void *args_copy(struct cuda_launch_args *args, const void *value,
		       size_t size)
{
	void *at = args->bytes + args->used;

	memcpy(at, value, size);
	args->used += (size + 15) / 16 * 16;
	return at;
}

static dprp_rc refuse_arg(const dprp_kernel *kernel, uint32_t index, dprp_rc rc,
			  const char *why)
{
	return dprh_fail(kernel->instance->host, rc, 0,
			 "argument %u of kernel %s: %s", index, kernel->name,
			 why);
}

/* Set a value.  The driver reads as many bytes as the parameter has. */
static dprp_rc set_value(struct cuda_launch_args *args,
			 const dprp_kernel *kernel, uint32_t index,
			 const dprp_arg *arg)
{
	const size_t size = (size_t)arg->size, align = size & -size;

	if (kernel->params_known && kernel->params[index].size > size)
		return refuse_arg(kernel, index, DPR_RC_INVALID,
				  "it is shorter than the parameter");
	if (!((uintptr_t)arg->u.value % (align > 16 ? 16 : align))) {
		/* The driver only reads it. */
		args->places[index] = (void *)(uintptr_t)arg->u.value;
		return DPR_RC_OK;
	}
	args->places[index] = args_copy(args, arg->u.value, size);
	return DPR_RC_OK;
}

/* Whether parameter @index of @n may be in local memory: it is, or nothing is
   known about it. */
static bool may_be_local(const dprp_kernel *kernel, uint32_t index, uint32_t n)
{
	/* Another number of parameters: a macro stands for several, or for
	   none. */
	if (kernel->n_params != n)
		return true;
	if (kernel->params[index].kind != DPRP_ARG_UNKNOWN)
		return kernel->params[index].kind == DPRP_ARG_LOCAL;
	return kernel->params_known &&
	       kernel->params[index].size == sizeof(uint32_t);
}

/* Set one of @n arguments, in local memory: the kernel gets its offset in the
   local memory of the launch. */
static dprp_rc set_local(struct cuda_launch_args *args,
			 const dprp_kernel *kernel, uint32_t index, uint32_t n,
			 const dprp_arg *arg)
{
	const uint64_t max = (uint64_t)kernel->device->root->max_shared_optin;
	uint32_t at;

	if (!kernel->locals)
		return refuse_arg(kernel, index, DPR_RC_UNSUPPORTED,
				  "a kernel from PTX or a cubin cannot have "
				  "a local memory argument: declare the "
				  "array in the kernel, or give the program "
				  "as OpenCL C");
	if (!may_be_local(kernel, index, n))
		return refuse_arg(
			kernel, index, DPR_RC_UNSUPPORTED,
			"the source does not show that this parameter is in "
			"local memory: write the word local in the parameter "
			"itself, not in a macro");
	args->local =
		(args->local + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
	at = (uint32_t)args->local;
	if (arg->size > max || args->local + arg->size > max)
		return refuse_arg(kernel, index, DPR_RC_INVALID,
				  "the device does not have that much local "
				  "memory");
	args->local += arg->size;
	args->places[index] = args_copy(args, &at, sizeof(at));
	return DPR_RC_OK;
}

static dprp_rc set_memory(struct cuda_launch_args *args,
			  const dprp_kernel *kernel, uint32_t index,
			  const dprp_arg *arg)
{
	const dprp_mem *mem = arg->u.m.mem;
	const CUdeviceptr address = mem ? mem->address + arg->u.m.offset : 0;

	if (kernel->params_known &&
	    kernel->params[index].kind == DPRP_ARG_UNKNOWN &&
	    kernel->params[index].size != sizeof(address))
		return refuse_arg(kernel, index, DPR_RC_INVALID,
				  "the parameter is not a pointer");
	args->places[index] = args_copy(args, &address, sizeof(address));
	return DPR_RC_OK;
}

static dprp_rc set_args(struct cuda_launch_args *args,
			const dprp_kernel *kernel, const dprp_launch *launch)
{
	dprp_rc rc = DPR_RC_OK;
	uint32_t i;

	for (i = 0; i < launch->n_args && !rc; i++) {
		const dprp_arg *arg = &launch->args[i];

		switch (arg->kind) {
		case DPRP_ARG_VALUE:
			rc = set_value(args, kernel, i, arg);
			break;
		case DPRP_ARG_MEM: rc = set_memory(args, kernel, i, arg); break;
		case DPRP_ARG_LOCAL:
			rc = set_local(args, kernel, i, launch->n_args, arg);
			break;
		default:
			rc = refuse_arg(kernel, i, DPR_RC_UNSUPPORTED,
					"its kind is unknown");
		}
	}
	return rc;
}

/* --- Sizes ---------------------------------------------------------------- */

/* Use the local size that the plugin chose for the kernel.  If the first
   dimension is short, the second one gets more work-items. */
static void choose_block(const dprp_kernel *kernel, const dprp_launch *launch,
			 unsigned int *block)
{
	memcpy(block, kernel->choice[launch->dims - 1],
	       sizeof(kernel->choice[0]));
	if (kernel->required[0] || launch->dims == 1)
		return;
	while (block[0] > 1 && block[0] / 2 >= launch->global[0]) {
		block[0] /= 2;
		block[1] *= 2;
	}
}

/* Take the local size of a launch. */
static dprp_rc take_block(const dprp_kernel *kernel, const dprp_launch *launch,
			  unsigned int *block)
{
	const dprp_host *host = kernel->instance->host;
	const int *max = kernel->device->root->max_block;
	uint64_t size = 1;
	uint32_t i;

	for (i = 0; i < launch->dims; i++) {
		const uint64_t local = launch->local[i];

		if (local > (uint64_t)max[i] || !local)
			return dprh_fail(
				host, DPR_RC_INVALID, 0,
				"kernel %s: on this device a work-group has 1 to %d "
				"work-items in dimension %u, not %llu",
				kernel->name, max[i], i,
				(unsigned long long)local);
		size *= local;
		block[i] = (unsigned int)local;
	}
	for (i = 0; kernel->required[0] && i < 3; i++)
		if (block[i] != kernel->required[i])
			return dprh_fail(
				host, DPR_RC_INVALID, 0,
				"kernel %s requires work-groups of %llu x %llu "
				"x %llu",
				kernel->name,
				(unsigned long long)kernel->required[0],
				(unsigned long long)kernel->required[1],
				(unsigned long long)kernel->required[2]);
	if (size <= kernel->max_group)
		return DPR_RC_OK;
	return dprh_fail(host, DPR_RC_INVALID, 0,
			 "kernel %s takes work-groups of %u work-items "
			 "at most, not %llu",
			 kernel->name, kernel->max_group,
			 (unsigned long long)size);
}

static dprp_rc set_shape(const dprp_kernel *kernel, const dprp_launch *launch,
			 struct cuda_launch_shape *shape)
{
	const dprp_host *host = kernel->instance->host;
	const int *max = kernel->device->root->max_grid;
	uint64_t groups;
	uint32_t i;
	dprp_rc rc;

	*shape = (struct cuda_launch_shape){ { 1, 1, 1 }, { 1, 1, 1 } };
	if (!launch->local[0]) {
		choose_block(kernel, launch, shape->block);
	} else {
		rc = take_block(kernel, launch, shape->block);
		if (rc)
			return rc;
	}
	for (i = 0; i < launch->dims; i++) {
		groups = launch->global[i];
		/* This division would take as long as all the rest of this
		   function. */
		if (shape->block[i] > 1)
			groups = groups / shape->block[i] +
				 (groups % shape->block[i] != 0);
		if (groups > (uint64_t)max[i])
			return dprh_fail(
				host, DPR_RC_INVALID, 0,
				"kernel %s: %llu work-groups in dimension "
				"%u, but the device allows %d: put the long "
				"dimension first",
				kernel->name, (unsigned long long)groups, i,
				max[i]);
		shape->grid[i] = (unsigned int)groups;
	}
	return DPR_RC_OK;
}

/* Let the kernel use all local memory of the device.  Threads may do this at
   the same time: all of them, and all handles of the kernel, set the same
   value. */
static dprp_rc enlarge(dprp_kernel *kernel, uint64_t local)
{
	const dprp_device *root = kernel->device->root;
	const int all = root->max_shared_optin - (int)kernel->static_local;
	dprp_rc rc;

	if (local > (uint64_t)(all > 0 ? all : 0))
		return dprh_fail(
			kernel->instance->host, DPR_RC_INVALID, 0,
			"kernel %s: %llu bytes of local memory in arguments "
			"and %u of its own are more than the device has (%d)",
			kernel->name, (unsigned long long)local,
			kernel->static_local, root->max_shared_optin);
	if (atomic_load_explicit(&kernel->large, memory_order_acquire))
		return DPR_RC_OK;
	rc = CUDA_TRY_ON(kernel->device, cuKernelSetAttribute,
			 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, all,
			 kernel->cu, root->id);
	if (!rc)
		atomic_store_explicit(&kernel->large, true,
				      memory_order_release);
	return rc;
}

/* --- The launch ----------------------------------------------------------- */

/* Submit work that runs nothing but keeps the queue's order. */
static dprp_rc submit_nothing(dprp_queue *queue, const dprp_deps *deps,
			      dprp_event **event)
{
	struct cuda_submit submit;
	dprp_rc rc = cuda_submit_begin(&submit, queue, deps, event);

	return rc ? rc
		  : cuda_submit_end(&submit, CUDA_SUCCESS, "cuLaunchKernel");
}

static dprp_rc submit_kernel(dprp_queue *queue, dprp_kernel *kernel,
			     const dprp_launch *launch, const dprp_deps *deps,
			     dprp_event **event)
{
	struct cuda_launch_shape shape;
	struct cuda_submit submit;
	struct cuda_launch_args args;
	CUresult error;
	dprp_rc rc = set_shape(kernel, launch, &shape);

	if (rc)
		return rc;
	rc = args_begin(&args, kernel, launch);
	if (!rc)
		rc = set_args(&args, kernel, launch);
	if (!rc && args.local + kernel->static_local > PLAIN_LOCAL)
		rc = args.local ? enlarge(kernel, args.local) : DPR_RC_OK;
	if (!rc)
		rc = cuda_submit_begin(&submit, queue, deps, event);
	if (!rc) {
		/* The driver takes a CUkernel in place of a CUfunction: it
		   launches the function of the stream's context. */
		error = queue->instance->cu.cuLaunchKernel(
			(CUfunction)kernel->cu, shape.grid[0], shape.grid[1],
			shape.grid[2], shape.block[0], shape.block[1],
			shape.block[2], (unsigned int)args.local,
			submit.stream->cu, args.places, NULL);
		rc = cuda_submit_end(&submit, error, "cuLaunchKernel");
	}
	args_end(&args, kernel);
	return rc;
}

dprp_rc cuda_launch(dprp_queue *queue, dprp_kernel *kernel,
		    const dprp_launch *theirs, const dprp_deps *deps,
		    dprp_event **event)
{
	const uint32_t n = kernel->params_known ? kernel->n_params : UINT32_MAX;
	dprp_launch launch;
	dprp_rc rc = dprh_take_launch(queue->instance->host, kernel->name, n,
				      theirs, &launch, event);

	if (rc)
		return rc;
	if (dprh_launch_is_empty(&launch))
		return submit_nothing(queue, deps, event);
	if (kernel->call.routine)
		return kernel->call.routine->launch(queue, &kernel->call,
						    &launch, deps, event);
	return submit_kernel(queue, kernel, &launch, deps, event);
}
