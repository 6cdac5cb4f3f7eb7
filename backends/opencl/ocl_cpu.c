/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl_cpu.c - native kernels on CPU devices.  A launch is one command of the
 * driver, which calls a function of this process (clEnqueueNativeKernel); that
 * shares the work-groups among a team of threads.
 */
#include <string.h>

#include "ocl.h"

static dprp_rc ocl_cpu_make_team(dprp_device *device, bool caller_works,
				 struct dprh_team **out)
{
	const dprp_host *host = device->instance->host;
	cl_uint units = ocl_facts_units(device);
	struct dprh_cpus cpus;
	dprp_rc rc = dprh_cpus_allowed(host, &cpus);

	if (rc)
		return rc;
	if (!units || units > cpus.n)
		units = cpus.n;
	rc = dprh_team_create(host, &cpus, units, caller_works,
			      "; DPR_OPTION_OPENCL_NATIVE=no needs none", out);
	dprh_free(host, cpus.ids);
	return rc;
}

/* Get the team of a root or sub-device, for a routine of a library or a native
   kernel.  The first call makes it. */
static dprp_rc ocl_cpu_team(dprp_device *device, bool is_routine,
			    struct dprh_team **out)
{
	const bool works = device->root->caller_works;
	const bool deep = is_routine && works && !device->root->caller_calls;
	struct dprh_team **team = deep ? &device->deep_team : &device->team;
	dprp_rc rc = DPR_RC_OK;

	pthread_mutex_lock(&device->lock);
	if (!*team)
		rc = ocl_cpu_make_team(device, works && !deep, team);
	*out = *team;
	pthread_mutex_unlock(&device->lock);
	return rc;
}

/* --- Modules and kernels -------------------------------------------------- */

/* Whether the module is made of native code. */
static bool ocl_cpu_is_native(dprp_device *device,
			      const dprp_module_desc *theirs)
{
	return theirs->n_images &&
	       strcmp(theirs->images[0]->format, DPRP_NATIVE_FORMAT) == 0 &&
	       ocl_trial_runs_here(device);
}

dprp_rc ocl_cpu_module(dprp_context *context, dprp_device *device,
		       const dprp_module_desc *theirs, dprp_module **out)
{
	const dprp_native_module *native;
	dprp_rc rc;

	if (!ocl_cpu_is_native(device, theirs))
		return ocl_module_create(context, device, theirs, out);
	*out = NULL;
	rc = dprh_native_module(context->instance->host, theirs, &native);
	if (!rc)
		rc = ocl_module_over(context, device, NULL, out);
	if (!rc)
		(*out)->native = native;
	return rc;
}

dprp_rc ocl_cpu_kernel(dprp_module *module, const char *name, dprp_kernel **out)
{
	const dprp_host *host = module->instance->host;
	const dprp_native_kernel *native;
	dprp_rc rc;

	if (!module->native)
		return ocl_kernel_create(module, name, out);
	*out = NULL;
	rc = dprh_native_kernel(host, module->native, name, &native);
	if (!rc)
		rc = ocl_kernel_new(module->context, strlen(native->name), out);
	if (rc)
		return rc;
	strcpy((*out)->name, native->name);
	(*out)->native = native;
	(*out)->n_args = native->n_params;
	(*out)->call = module->call;
	return DPR_RC_OK;
}

dprp_rc ocl_cpu_kernel_info(dprp_kernel *kernel, dprp_device *device,
			    uint32_t key, void *buffer, size_t capacity,
			    size_t *need)
{
	const dprp_host *host = kernel->instance->host;

	if (!kernel->native)
		return ocl_kernel_info(kernel, device, key, buffer, capacity,
				       need);
	*need = 0;
	/* CLBlast's kernels are compiled like any other kernels. */
	if (key == DPRP_KERNEL_COMPILES_LATE)
		return dprh_answer_number(
			host,
			kernel->call.is_here ||
					(kernel->call.library &&
					 device->platform->compiles_late)
				? 2
				: 0,
			buffer, capacity, need);
	return dprh_native_info(host, kernel->native, device->max_work_group,
				key, buffer, capacity, need);
}

/* --- Launches ------------------------------------------------------------- */

/*
 * A launch, as the argument of the driver's command.  The driver copies it to
 * another place, so it has no pointer into itself until the command runs.
 * Behind the struct are the arguments, the values, and from the next multiple
 * of DPRH_ALIGN on, room for `carried` blocks of packed arguments.  A value has
 * an offset from the struct in the place of its address, and memory its address
 * in the place of its handle.
 *
 * A block has the local memory of a group.  If all blocks together are large,
 * the call carries one of them, and the command allocates the others: the
 * driver would copy them, and they would be lost if the command never ran.
 */
struct ocl_cpu_call {
	const dprp_host *host;
	struct dprh_team *team; /* NULL: one thread does the work */
	dprp_native_run run;
	struct dprh_range range;
	struct dprh_sizes sizes;
	dprp_launch launch;
	dprh_floats floats;
	uint32_t blocks;  /* one per member of the team with local memory, else
			     1 */
	uint32_t carried; /* blocks in the room: all of them, or 1 */
	uint32_t start;   /* of the room, before it is aligned; bytes */
	void *ignored;    /* where the driver puts addresses of buffers */
	struct library_call routine; /* of a library, or none */
	struct library_plan plan;
	struct ocl_work *work; /* for the routine; may be NULL */
};

static void *ocl_cpu_address(dprp_mem *mem)
{
	return mem;
}

/* Allocate the blocks that the call does not carry.  Returns what the command
   has to free.  Without memory, one thread does the work. */
static void *ocl_cpu_more(struct ocl_cpu_call *call)
{
	const size_t size = dprh_native_size(&call->launch, &call->sizes);
	void *more;

	if (call->blocks == call->carried)
		return NULL;
	more = call->host->alloc(call->host->self,
				 call->blocks * size + DPRH_ALIGN);
	if (!more) {
		call->blocks = 1;
		call->team = NULL;
	}
	return more;
}

/* Pack the arguments into the blocks, which begin in @room. */
static void ocl_cpu_pack(struct ocl_cpu_call *call, unsigned char *room,
			 struct dprh_native_launch *out)
{
	dprp_arg *args = (dprp_arg *)(call + 1);
	unsigned char *bytes = (unsigned char *)call, *block;
	const size_t size = dprh_native_size(&call->launch, &call->sizes);
	uint32_t i;

	for (i = 0; i < call->launch.n_args; i++)
		if (args[i].kind == DPRP_ARG_VALUE)
			args[i].u.value = bytes + (uintptr_t)args[i].u.value;
	call->launch.args = args;
	block = (unsigned char *)dprh_round_up((uintptr_t)room, DPRH_ALIGN);
	for (i = 0; i < call->blocks; i++)
		dprh_native_pack(&call->launch, &call->sizes, ocl_cpu_address,
				 block + i * size);
	out->run = call->run;
	out->range = call->range;
	out->args = (const void *const *)block;
	out->args_stride = call->blocks > 1 ? size / sizeof(void *) : 0;
}

/* Give the task of a routine to the launch.  It comes behind the arguments. */
static void ocl_cpu_task(const struct ocl_cpu_call *call,
			 struct dprh_native_launch *launch)
{
	unsigned char *task = (unsigned char *)(uintptr_t)launch->args +
			      dprh_native_size(&call->launch, &call->sizes);

	if (call->routine.routine)
		library_calls_init(
			&call->routine, &call->launch, &call->plan, task,
			call->work ? ocl_work_memory(call->work) : NULL,
			launch);
}

/* The command.  Floats are computed as in the thread that made the queue; the
   driver's thread gets its own state back. */
static void CL_CALLBACK ocl_cpu_run(void *data)
{
	struct ocl_cpu_call *call = data;
	unsigned char *more = ocl_cpu_more(call);
	struct dprh_native_launch launch;
	dprh_floats own;

	ocl_cpu_pack(call, more ? more : (unsigned char *)call + call->start,
		     &launch);
	ocl_cpu_task(call, &launch);
	dprh_floats_get(&own);
	dprh_floats_set(&call->floats);
	if (call->team)
		dprh_native_team_run(call->team, &launch);
	else
		dprh_native_run(launch.run, launch.args, &launch.range);
	dprh_floats_set(&own);
	dprh_free(call->host, more);
	if (call->work)
		ocl_work_end(call->host, call->work);
}

/* The most bytes of all blocks that a call carries. */
#define OCL_CPU_CARRIED ((size_t)16 << 10)
/* So many arguments need no lists beside the room. */
#define OCL_CPU_FEW 16u

/* Memory of a launch: on the stack if it is little. */
struct ocl_cpu_room {
	_Alignas(16) unsigned char few[2048];
	struct ocl_cpu_call *call; /* `few`, or a block */
	size_t size;
	/* The buffers, and as many times the place of `ignored`. */
	cl_uint n_mems;
	cl_mem *mems;
	const void **places;
	void *lists; /* a block for these two, or NULL: they are here */
	cl_mem few_mems[OCL_CPU_FEW];
	const void *few_places[OCL_CPU_FEW];
};

static void ocl_cpu_room_free(const dprp_host *host, struct ocl_cpu_room *room)
{
	if ((unsigned char *)room->call != room->few)
		dprh_free(host, room->call);
	dprh_free(host, room->lists);
}

static void ocl_cpu_room_lists(const dprp_host *host, uint32_t n_args,
			       struct ocl_cpu_room *room)
{
	room->mems = room->few_mems;
	room->places = room->few_places;
	room->lists = NULL;
	if (n_args <= OCL_CPU_FEW)
		return;
	room->lists = dprh_alloc(host, n_args,
				 sizeof(*room->mems) + sizeof(*room->places));
	room->mems = room->lists;
	room->places = (const void **)(room->mems + n_args);
}

static dprp_rc ocl_cpu_room_make(const dprp_host *host, size_t size,
				 uint32_t n_args, struct ocl_cpu_room *room)
{
	room->size = size;
	room->n_mems = 0;
	ocl_cpu_room_lists(host, n_args, room);
	room->call = (struct ocl_cpu_call *)room->few;
	if (size > sizeof(room->few))
		room->call = host->alloc(host->self, size);
	if (room->call && room->mems)
		return DPR_RC_OK;
	ocl_cpu_room_free(host, room);
	return dprh_no_memory(host, "a launch");
}

/* Put an argument that is memory into the call.  The driver gets a list of the
   buffers.  The addresses from the driver are not used.  PoCL 3.1 sorts the
   list and drops duplicates, and so mixes the addresses up. */
static dprp_rc ocl_cpu_put_mem(const dprp_kernel *kernel, uint32_t i,
			       const dprp_arg *arg, struct ocl_cpu_room *room)
{
	dprp_arg *args = (dprp_arg *)(room->call + 1);
	const dprp_mem *mem = arg->u.m.mem;
	dprp_rc rc = ocl_kernel_takes(kernel, i, arg);

	if (rc || !mem)
		return rc;
	if (mem->path != OCL_PATH_BUFFER) {
		args[i].u.m.mem = (dprp_mem *)mem->address;
		return DPR_RC_OK;
	}
	args[i].u.m.mem = (dprp_mem *)mem->here;
	room->mems[room->n_mems] = mem->cl;
	room->places[room->n_mems++] = &room->call->ignored;
	return DPR_RC_OK;
}

/* Put the arguments and their values into the call. */
static dprp_rc ocl_cpu_put_args(const dprp_kernel *kernel,
				const dprp_launch *launch,
				struct ocl_cpu_room *room)
{
	const size_t size = launch->n_args * sizeof(dprp_arg);
	unsigned char *bytes = (unsigned char *)room->call;
	dprp_arg *args = (dprp_arg *)(room->call + 1);
	uintptr_t at = sizeof(*room->call) + size;
	dprp_rc rc = DPR_RC_OK;
	uint32_t i;

	if (size)
		memcpy(args, launch->args, size);
	for (i = 0; i < launch->n_args && !rc; i++) {
		const dprp_arg *arg = &launch->args[i];

		if (arg->kind == DPRP_ARG_MEM)
			rc = ocl_cpu_put_mem(kernel, i, arg, room);
		if (arg->kind != DPRP_ARG_VALUE)
			continue;
		memcpy(bytes + at, arg->u.value, (size_t)arg->size);
		args[i].u.value = (const void *)at;
		at += dprh_round_up((size_t)arg->size, DPRH_VALUE_ALIGN);
	}
	room->call->start = (uint32_t)at;
	return rc;
}

static dprp_rc ocl_cpu_enqueue(dprp_queue *queue,
			       const struct ocl_cpu_room *room,
			       const dprp_deps *deps, dprp_event **event)
{
	const struct ocl_api *cl = &queue->instance->cl;
	struct ocl_work *work = room->call->work;
	cl_event made = NULL, *place;
	struct ocl_submit s;
	cl_int err;
	dprp_rc rc = ocl_submit_begin(&s, queue, deps, event);

	if (rc)
		return rc;
	place = work && !s.event ? &made : s.event;
	err = cl->clEnqueueNativeKernel(
		queue->cl, ocl_cpu_run, room->call, room->size, room->n_mems,
		room->n_mems ? room->mems : NULL,
		room->n_mems ? room->places : NULL, s.n, s.list, place);
	if (!err && work) {
		if (!made)
			cl->clRetainEvent(*place);
		ocl_work_keep(queue->instance, work, *place);
	}
	return ocl_submit_end(&s, err, "clEnqueueNativeKernel");
}

/* Plan the work of a routine, and allocate its workspace.  A library may need
   more stack than the driver's thread has, even for brief work. */
static dprp_rc ocl_cpu_plan_routine(dprp_queue *queue,
				    const dprp_kernel *kernel,
				    const dprp_launch *launch,
				    struct ocl_cpu_call *call)
{
	dprp_instance *instance = queue->instance;
	dprp_rc rc;

	call->routine = kernel->call.u.cpu;
	rc = library_calls_plan(&instance->libraries, &call->routine, launch,
				call->team ? call->team->n : 1, &call->plan);
	if (rc || !library_calls_workspace(&call->plan))
		return rc;
	return ocl_work_make(instance, library_calls_workspace(&call->plan),
			     &call->work);
}

/* Choose the range and who does the work: the team, or the driver's thread
   alone, which takes less time if the work is brief. */
static dprp_rc ocl_cpu_plan(dprp_queue *queue, const dprp_kernel *kernel,
			    const dprp_launch *launch,
			    const struct dprh_sizes *sizes,
			    struct ocl_cpu_call *call)
{
	dprp_device *device = queue->device;
	const bool is_routine = kernel->call.library;
	const bool needs_stack = is_routine && !device->root->caller_calls;
	struct dprh_team *team = NULL;
	dprp_rc rc = DPR_RC_OK;

	if (!(launch->flags & DPRP_LAUNCH_BRIEF) || needs_stack)
		rc = ocl_cpu_team(device, is_routine, &team);
	if (!rc)
		rc = dprh_range_of(kernel->instance->host, launch,
				   device->max_work_group,
				   dprh_team_items(team ? team->n : 1, launch),
				   &call->range);
	if (rc)
		return rc;
	call->team = team;
	call->host = kernel->instance->host;
	call->blocks = sizes->local && team ? team->n : 1;
	call->carried =
		call->blocks * dprh_native_size(launch, sizes) > OCL_CPU_CARRIED
			? 1
			: call->blocks;
	call->run = kernel->native->run;
	call->sizes = *sizes;
	call->launch = *launch;
	call->floats = queue->floats;
	call->work = NULL;
	call->routine.routine = NULL;
	return is_routine ? ocl_cpu_plan_routine(queue, kernel, launch, call)
			  : DPR_RC_OK;
}

/* Submit a launch that is planned. */
static dprp_rc ocl_cpu_submit(dprp_queue *queue, const dprp_kernel *kernel,
			      const dprp_launch *launch,
			      const struct ocl_cpu_call *call,
			      const dprp_deps *deps, dprp_event **event)
{
	const dprp_host *host = queue->instance->host;
	const size_t size =
		sizeof(*call) + launch->n_args * sizeof(dprp_arg) +
		call->sizes.values + DPRH_ALIGN +
		call->carried * dprh_native_size(launch, &call->sizes) +
		(kernel->call.library ? library_calls_size(launch) : 0);
	struct ocl_cpu_room room;
	dprp_rc rc = ocl_cpu_room_make(host, size, launch->n_args, &room);

	if (rc)
		return rc;
	*room.call = *call;
	rc = ocl_cpu_put_args(kernel, launch, &room);
	if (!rc)
		rc = ocl_cpu_enqueue(queue, &room, deps, event);
	ocl_cpu_room_free(host, &room);
	return rc;
}

dprp_rc ocl_cpu_send(dprp_queue *queue, dprp_kernel *kernel,
		     const dprp_launch *launch, const dprp_deps *deps,
		     dprp_event **event)
{
	const dprp_host *host = queue->instance->host;
	const struct dprh_sizes most = { OCL_CPU_PARAMETERS,
					 queue->device->local_bytes };
	struct ocl_cpu_call call;
	struct dprh_sizes sizes;
	dprp_rc rc =
		dprh_native_check(host, kernel->native, launch, &most, &sizes);

	if (!rc && dprh_launch_is_empty(launch))
		return ocl_submit_nothing(queue, deps, event);
	if (!rc)
		rc = ocl_cpu_plan(queue, kernel, launch, &sizes, &call);
	if (rc)
		return rc;
	rc = ocl_cpu_submit(queue, kernel, launch, &call, deps, event);
	if (rc)
		ocl_work_drop(queue->instance, call.work);
	return rc;
}

dprp_rc ocl_cpu_launch(dprp_queue *queue, dprp_kernel *kernel,
		       const dprp_launch *theirs, const dprp_deps *deps,
		       dprp_event **event)
{
	const dprp_host *host = queue->instance->host;
	dprp_launch launch;
	dprp_rc rc;

	if (!kernel->native)
		return ocl_launch(queue, kernel, theirs, deps, event);
	if (event)
		*event = NULL;
	rc = dprh_take(host, "dprp_launch", &launch, sizeof(launch), theirs);
	return rc ? rc : ocl_cpu_send(queue, kernel, &launch, deps, event);
}
