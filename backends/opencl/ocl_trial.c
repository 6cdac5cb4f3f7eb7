/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl_trial.c - whether a device runs functions of this process as commands
 * (clEnqueueNativeKernel).
 *
 * The driver says whether its devices have such commands, but not in which
 * process they run, or on how large a stack.  So one is tried.
 */
#include <unistd.h>

#include "ocl.h"

/* What the trial's function finds. */
struct ocl_trial {
	pid_t process;
	pthread_t thread;
	size_t stack; /* bytes; 0: unknown */
	void *address;
};

/* The argument of the trial's function. */
struct ocl_trial_call {
	struct ocl_trial *answer;
	void *address; /* of a buffer, from the driver */
};

static void CL_CALLBACK ocl_trial_run(void *data)
{
	const struct ocl_trial_call *call = data;
	struct ocl_trial *answer = call->answer;
	pthread_attr_t attr;

	answer->thread = pthread_self();
	if (!pthread_getattr_np(answer->thread, &attr)) {
		(void)pthread_attr_getstacksize(&attr, &answer->stack);
		pthread_attr_destroy(&attr);
	}
	answer->address = call->address;
	answer->process = getpid();
}

/* Run the trial's function on a new queue; @mem may be NULL. */
static cl_int ocl_trial_run_once(const struct ocl_api *cl, cl_context context,
				 cl_device_id device, cl_mem mem,
				 struct ocl_trial *answer)
{
	struct ocl_trial_call call = { answer, NULL };
	const void *place = &call.address;
	cl_event event = NULL;
	cl_int err = CL_SUCCESS;
	cl_command_queue queue =
		cl->clCreateCommandQueue(context, device, 0, &err);

	if (!queue || err)
		return err ? err : CL_OUT_OF_RESOURCES;
	err = cl->clEnqueueNativeKernel(
		queue, ocl_trial_run, &call, sizeof(call), mem ? 1 : 0,
		mem ? &mem : NULL, mem ? &place : NULL, 0, NULL, &event);
	if (!err) {
		err = cl->clWaitForEvents(1, &event);
		cl->clReleaseEvent(event);
	}
	/* The command must not write into @answer later. */
	if (err)
		cl->clFinish(queue);
	cl->clReleaseCommandQueue(queue);
	return err;
}

/* Returns why the trial fails, or NULL. */
static const char *ocl_trial_fails(const dprp_device *device,
				   struct ocl_trial *answer)
{
	const struct ocl_api *cl = &device->instance->cl;
	cl_int err = CL_SUCCESS;
	cl_context context =
		cl->clCreateContext(NULL, 1, &device->id, NULL, NULL, &err);

	if (!context || err)
		return ocl_error_name(err ? err : CL_OUT_OF_RESOURCES);
	err = ocl_trial_run_once(cl, context, device->id, NULL, answer);
	cl->clReleaseContext(context);
	if (err)
		return ocl_error_name(err);
	return answer->process == getpid() ? NULL : "it ran elsewhere";
}

/* Whether the driver says that the device has such commands. */
static bool ocl_trial_is_promised(const dprp_device *device)
{
	cl_device_exec_capabilities can = 0;

	return ocl_facts_type(device) == DPR_DEVICE_CPU &&
	       !device->instance->cl.clGetDeviceInfo(
		       device->id, CL_DEVICE_EXECUTION_CAPABILITIES,
		       sizeof(can), &can, NULL) &&
	       can & CL_EXEC_NATIVE_KERNEL;
}

/* Try whether the root device @device runs functions of this process. */
static void ocl_trial_make(dprp_device *device)
{
	struct ocl_trial answer = { 0 };
	const char *why;

	if (!device->instance->native || !ocl_trial_is_promised(device))
		return;
	why = ocl_trial_fails(device, &answer);
	if (why)
		dprh_log(
			device->instance->host, OCL_LOG_INFO,
			"%s: a trial of clEnqueueNativeKernel fails: %s; array "
			"functions take OpenCL C, which is slower",
			device->platform->name, why);
	device->runs_here = !why;
	/* A driver that runs commands in the thread that submits them or waits
	   for them may do so on any stack of the program. */
	device->caller_works = device->platform->one_kind_of_thread &&
			       answer.stack >= DPRH_STACK &&
			       !pthread_equal(answer.thread, pthread_self());
	device->caller_calls =
		device->caller_works && answer.stack >= DPRH_THREAD_STACK;
}

bool ocl_trial_runs_here(dprp_device *device)
{
	dprp_device *root = device->root;
	bool runs;

	pthread_mutex_lock(&root->lock);
	if (!root->tried)
		ocl_trial_make(root);
	root->tried = true;
	runs = root->runs_here;
	pthread_mutex_unlock(&root->lock);
	return runs;
}

cl_int ocl_trial_address(dprp_device *device, cl_context context,
			 cl_device_id id, cl_mem mem, char **out)
{
	struct ocl_trial answer = { 0 };
	cl_int err;

	*out = NULL;
	if (!ocl_trial_runs_here(device))
		return CL_SUCCESS;
	err = ocl_trial_run_once(&device->instance->cl, context, id, mem,
				 &answer);
	if (!err && !answer.address)
		err = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	*out = answer.address;
	return err;
}
