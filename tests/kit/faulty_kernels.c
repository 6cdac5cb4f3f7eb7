/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_kernels.c - faults of launches. */
#include <string.h>
#include <time.h>

#include "tests/kit/faulty.h"
#include "tests/plugins/mock/mock_impl.h"

#define LAUNCH_ARGS                                                        \
	dprp_queue *queue, dprp_kernel *kernel, const dprp_launch *launch, \
		const dprp_deps *deps, dprp_event **event

static dprp_rc right_launch(LAUNCH_ARGS)
{
	return faulty.mock->queue->launch(queue, kernel, launch, deps, event);
}

static dprp_rc launch_less(LAUNCH_ARGS)
{
	dprp_launch less = *launch;

	if (less.global[0] > 4096 && !less.local[0])
		less.global[0] = 4096;
	return right_launch(queue, kernel, &less, deps, event);
}

static void skips_last(void)
{
	faulty.queue.launch = launch_less;
}

static dprp_rc launch_two(LAUNCH_ARGS)
{
	dprp_rc rc = right_launch(queue, kernel, launch, deps, NULL);

	return rc ? rc : right_launch(queue, kernel, launch, deps, event);
}

static void runs_twice(void)
{
	faulty.queue.launch = launch_two;
}

static dprp_rc launch_flat(LAUNCH_ARGS)
{
	dprp_launch flat = *launch;

	if (flat.dims == 3 && !flat.local[0])
		flat.global[2] = 1;
	return right_launch(queue, kernel, &flat, deps, event);
}

static void two_dims(void)
{
	faulty.queue.launch = launch_flat;
}

static dprp_rc launch_start(LAUNCH_ARGS)
{
	dprp_launch changed = *launch;
	dprp_arg args[8];
	uint32_t i;

	for (i = 0; i < launch->n_args && i < 8; i++) {
		args[i] = launch->args[i];
		if (args[i].kind == DPRP_ARG_MEM)
			args[i].u.m.offset = 0;
	}
	changed.args = args;
	return right_launch(queue, kernel, &changed, deps, event);
}

static void drops_offset(void)
{
	faulty.queue.launch = launch_start;
}

static dprp_rc launch_some(LAUNCH_ARGS)
{
	dprp_launch changed = *launch;
	int i;

	for (i = 0; i < 3; i++)
		changed.global[i] += !changed.global[i];
	return right_launch(queue, kernel, &changed, deps, event);
}

static void zero_runs(void)
{
	faulty.queue.launch = launch_some;
}

static dprp_queue *spare;

static dprp_rc spare_create(dprp_context *context, dprp_device *device,
			    const dprp_queue_desc *desc, uint64_t *got,
			    dprp_queue **out)
{
	uint64_t granted;

	if (!spare)
		faulty.mock->queue->create(context, device, desc, &granted,
					   &spare);
	return faulty.mock->queue->create(context, device, desc, got, out);
}

static dprp_rc launch_apart(LAUNCH_ARGS)
{
	bool none =
		!launch->global[0] || !launch->global[1] || !launch->global[2];

	return right_launch(none ? spare : queue, kernel, launch,
			    none ? NULL : deps, event);
}

static void zero_at_once(void)
{
	faulty.queue.create = spare_create;
	faulty.queue.launch = launch_apart;
}

static dprp_rc launch_static(LAUNCH_ARGS)
{
	const struct timespec moment = { 0, 20000 };
	static dprp_arg args[8];
	dprp_launch changed = *launch;

	memcpy(args, launch->args, launch->n_args * sizeof(args[0]));
	changed.args = args;
	nanosleep(&moment, NULL);
	return right_launch(queue, kernel, &changed, deps, event);
}

static void static_args(void)
{
	faulty.queue.launch = launch_static;
}

static dprp_rc launch_root(LAUNCH_ARGS)
{
	if (queue->device->parent)
		return faulty_fail(DPR_RC_INVALID);
	return right_launch(queue, kernel, launch, deps, event);
}

static void root_only(void)
{
	faulty.queue.launch = launch_root;
}

static dprp_rc launch_long(LAUNCH_ARGS)
{
	if (launch->flags)
		return faulty_fail(DPR_RC_UNSUPPORTED);
	return right_launch(queue, kernel, launch, deps, event);
}

static void refuses_brief(void)
{
	faulty.queue.launch = launch_long;
}

/* Run a brief launch of add_one now, whatever comes before it. */
static dprp_rc launch_early(LAUNCH_ARGS)
{
	const dprp_arg *arg = launch->args;
	const uint64_t none[3] = { 0, 0, 0 };
	dprp_launch empty = *launch;
	const void *at;

	if (!launch->flags)
		return right_launch(queue, kernel, launch, deps, event);
	at = arg[0].u.m.mem->bytes + arg[0].u.m.offset;
	kernel->native->run((const void *const[]){ &at, arg[1].u.value },
			    launch->global, launch->global, none);
	empty.global[0] = 0;
	return right_launch(queue, kernel, &empty, deps, event);
}

static void hurries_brief(void)
{
	faulty.queue.launch = launch_early;
}

/* Run a native kernel now, with values or local memory that begin 8 bytes
   behind an aligned address. */
static dprp_rc launch_behind(const dprp_launch *launch, uint32_t kind,
			     dprp_queue *queue, dprp_kernel *kernel,
			     const dprp_deps *deps, dprp_event **event)
{
	static unsigned char room[8][1024] __attribute__((aligned(64)));
	const uint64_t none[3] = { 0, 0, 0 };
	const void *args[8], *at[8];
	dprp_launch empty = *launch;

	(void)!faulty.mock->queue->finish(queue);
	for (uint32_t i = 0; i < launch->n_args && i < 8; i++) {
		const dprp_arg *arg = &launch->args[i];
		unsigned char *own = room[i] + (arg->kind == kind ? 8 : 0);

		args[i] = &at[i];
		at[i] = own;
		if (arg->kind == DPRP_ARG_MEM)
			at[i] = arg->u.m.mem->bytes + arg->u.m.offset;
		if (arg->kind == DPRP_ARG_VALUE)
			args[i] = memcpy(own, arg->u.value, (size_t)arg->size);
	}
	kernel->native->run(args, launch->global, launch->global, none);
	empty.global[0] = 0;
	return right_launch(queue, kernel, &empty, deps, event);
}

static dprp_rc launch_local(LAUNCH_ARGS)
{
	if (launch->n_args < 4 || launch->args[2].kind != DPRP_ARG_LOCAL)
		return right_launch(queue, kernel, launch, deps, event);
	return launch_behind(launch, DPRP_ARG_LOCAL, queue, kernel, deps,
			     event);
}

static void unaligned_local(void)
{
	faulty.queue.launch = launch_local;
}

static dprp_rc launch_value(LAUNCH_ARGS)
{
	if (launch->n_args != 2 || launch->args[1].size <= 8)
		return right_launch(queue, kernel, launch, deps, event);
	return launch_behind(launch, DPRP_ARG_VALUE, queue, kernel, deps,
			     event);
}

static void unaligned_value(void)
{
	faulty.queue.launch = launch_value;
}

/* The values of axpy, a float and a number, lie behind one another. */
static dprp_rc launch_small(LAUNCH_ARGS)
{
	if (launch->n_args != 4 || launch->args[0].size != 4)
		return right_launch(queue, kernel, launch, deps, event);
	return launch_behind(launch, DPRP_ARG_VALUE, queue, kernel, deps,
			     event);
}

static void packs_values(void)
{
	faulty.queue.launch = launch_small;
}

struct half {
	const dprp_launch *launch;
	dprp_native_run run;
	const void *const *args;
	uint64_t first;
};

/* Run every second group. */
static void *run_half(void *arg)
{
	const struct half *half = arg;
	uint64_t group[3] = { 0, 0, 0 };

	for (group[0] = half->first; group[0] < half->launch->global[0];
	     group[0] += 2)
		half->run(half->args, half->launch->global,
			  half->launch->local, group);
	return NULL;
}

/* Two threads run the groups of own_local, with the same local memory. */
static dprp_rc launch_halves(LAUNCH_ARGS)
{
	static unsigned char local[1024] __attribute__((aligned(64)));
	const void *at[2], *args[2] = { &at[0], &at[1] };
	struct half halves[2];
	dprp_launch empty = *launch;
	pthread_t thread;

	if (launch->n_args != 2 || launch->args[1].kind != DPRP_ARG_LOCAL)
		return right_launch(queue, kernel, launch, deps, event);
	(void)!faulty.mock->queue->finish(queue);
	at[0] = launch->args[0].u.m.mem->bytes + launch->args[0].u.m.offset;
	at[1] = local;
	halves[0] = (struct half){ launch, kernel->native->run, args, 0 };
	halves[1] = (struct half){ launch, kernel->native->run, args, 1 };
	if (pthread_create(&thread, NULL, run_half, &halves[1]))
		return faulty_fail(DPR_RC_OOM_HOST);
	run_half(&halves[0]);
	pthread_join(thread, NULL);
	empty.global[0] = 0;
	return right_launch(queue, kernel, &empty, deps, event);
}

static void shares_local(void)
{
	faulty.queue.launch = launch_halves;
}

static dprp_rc launch_any(LAUNCH_ARGS)
{
	dprp_launch known = *launch;

	known.flags &= DPRP_LAUNCH_BRIEF;
	return right_launch(queue, kernel, &known, deps, event);
}

static void any_launch_flag(void)
{
	faulty.queue.launch = launch_any;
}

const struct fault faulty_kernels_faults[] = {
	{ "skips_last", skips_last },
	{ "runs_twice", runs_twice },
	{ "two_dims", two_dims },
	{ "drops_offset", drops_offset },
	{ "zero_runs", zero_runs },
	{ "zero_at_once", zero_at_once },
	{ "static_args", static_args },
	{ "root_only", root_only },
	{ "refuses_brief", refuses_brief },
	{ "hurries_brief", hurries_brief },
	{ "unaligned_local", unaligned_local },
	{ "unaligned_value", unaligned_value },
	{ "packs_values", packs_values },
	{ "shares_local", shares_local },
	{ "any_launch_flag", any_launch_flag },
	{ NULL, NULL },
};
