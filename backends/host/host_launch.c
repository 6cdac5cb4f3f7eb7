/* SPDX-License-Identifier: Apache-2.0 */
/* host_launch.c - a launch: its range, and its arguments for each member. */
#include "host.h"

#include <string.h>

#define LOCAL_ALIGN HOST_CACHE_LINE
#define VALUE_ALIGN 16u
/* Aim at this many work-groups per thread, so that threads finish together. */
#define GROUPS_PER_MEMBER 16u
#define SMALLEST_GROUP 64u

/*
 * Choose the local sizes if the caller gives none: work-groups of a few hundred
 * items, but enough groups for the threads to share them evenly.  Groups are as
 * long as possible in the first dimension, along which kernels walk through
 * memory.
 */
static void choose_local(const struct host_team *team, const uint64_t global[3],
			 uint64_t local[3])
{
	uint64_t groups = (uint64_t)team->n * GROUPS_PER_MEMBER, items = 1,
		 room;
	int d;

	for (d = 0; d < 3; d++)
		if (__builtin_mul_overflow(items, global[d], &items))
			items = UINT64_MAX;
	room = items / groups + (items % groups != 0);
	if (room < SMALLEST_GROUP)
		room = SMALLEST_GROUP;
	if (room > HOST_MAX_WORK_GROUP)
		room = HOST_MAX_WORK_GROUP;
	for (d = 0; d < 3; d++) {
		local[d] = room < global[d] ? room : global[d];
		room /= local[d];
		if (!room)
			room = 1;
	}
}

static dprp_rc launch_range(dprp_queue *queue, const dprp_launch *launch,
			    struct host_launch *out)
{
	uint64_t items = 1;
	uint32_t d;

	for (d = 0; d < 3; d++) {
		out->global[d] = d < launch->dims ? launch->global[d] : 1;
		out->local[d] = d < launch->dims ? launch->local[d] : 1;
	}
	if (!out->local[0])
		choose_local(queue->team, out->global, out->local);
	else
		for (d = 0; d < 3; d++)
			if (!out->local[d] || out->global[d] % out->local[d] ||
			    out->local[d] > HOST_MAX_WORK_GROUP)
				goto bad;
	if (out->local[0] * out->local[1] * out->local[2] > HOST_MAX_WORK_GROUP)
		goto bad;
	for (d = 0; d < 3; d++) {
		out->groups[d] = out->global[d] / out->local[d] +
				 (out->global[d] % out->local[d] != 0);
		if (__builtin_mul_overflow(out->groups[d], out->local[d],
					   &out->global[d]) ||
		    __builtin_mul_overflow(items, out->global[d], &items))
			goto bad;
	}
	return DPR_RC_OK;
bad:
	return plugin_util_fail(
		&queue->instance->host, DPR_RC_INVALID, 0,
		"host: launch: global %llu %llu %llu, local %llu %llu %llu: "
		"the local size must divide the global one, with at most %u items",
		(unsigned long long)out->global[0],
		(unsigned long long)out->global[1],
		(unsigned long long)out->global[2],
		(unsigned long long)out->local[0],
		(unsigned long long)out->local[1],
		(unsigned long long)out->local[2], HOST_MAX_WORK_GROUP);
}

/* Why @arg does not fit @param, or NULL. */
static const char *arg_wrong(const dprp_arg *arg, const dprp_param *param)
{
	if (arg->kind == DPRP_ARG_POINTER)
		return param->kind == DPRP_ARG_MEM ? NULL
						   : "the parameter is not "
						     "memory";
	if (arg->kind != param->kind)
		return "the parameter is of another kind";
	if (arg->kind == DPRP_ARG_VALUE && param->size &&
	    arg->size != param->size)
		return "the parameter has another size";
	if (arg->kind == DPRP_ARG_MEM && arg->u.m.offset > arg->u.m.mem->size)
		return "the offset is beyond the end of the memory";
	return NULL;
}

static size_t round_up(size_t size, size_t to)
{
	return (size + to - 1) / to * to;
}

/* Bytes of all values and of one work-group's local memory. */
struct sizes {
	size_t values, local;
};

static dprp_rc launch_sizes(dprp_queue *queue, const dprp_kernel *kernel,
			    const dprp_launch *launch, struct sizes *out)
{
	const dprp_native_kernel *native = kernel->native;
	const dprp_arg *arg;
	const char *wrong;
	uint32_t i;

	*out = (struct sizes){ 0, 0 };
	if (launch->ext || !launch->dims || launch->dims > 3)
		return plugin_util_fail(
			&queue->instance->host, DPR_RC_UNSUPPORTED, 0,
			"host: launch: it has %u dimensions, but must have 1 "
			"to 3, or it has an unknown extension",
			launch->dims);
	if (launch->n_args != native->n_params)
		return plugin_util_fail(
			&queue->instance->host, DPR_RC_INVALID, 0,
			"host: launch: %s takes %u arguments, not %u",
			native->name, native->n_params, launch->n_args);
	for (i = 0; i < launch->n_args; i++) {
		arg = &launch->args[i];
		wrong = arg_wrong(arg, &native->params[i]);
		if (!wrong && arg->kind == DPRP_ARG_VALUE &&
		    arg->size > HOST_PARAMETER_BYTES - out->values)
			wrong = "the arguments are too large";
		if (!wrong && arg->kind == DPRP_ARG_LOCAL &&
		    arg->size > HOST_LOCAL_MEMORY - out->local)
			wrong = "the device does not have that much local "
				"memory";
		if (wrong)
			return plugin_util_fail(
				&queue->instance->host, DPR_RC_INVALID, 0,
				"host: launch: %s: argument %u: %s",
				native->name, i, wrong);
		if (arg->kind == DPRP_ARG_VALUE)
			out->values += round_up((size_t)arg->size, VALUE_ALIGN);
		if (arg->kind == DPRP_ARG_LOCAL)
			out->local += round_up((size_t)arg->size, LOCAL_ALIGN);
		if (out->values > HOST_PARAMETER_BYTES ||
		    out->local > HOST_LOCAL_MEMORY)
			return plugin_util_fail(
				&queue->instance->host, DPR_RC_INVALID, 0,
				"host: launch: %s: more than %u bytes of arguments"
				" or %u of local memory",
				native->name, HOST_PARAMETER_BYTES,
				HOST_LOCAL_MEMORY);
	}
	return DPR_RC_OK;
}

/*
 * Memory of a launch behind its command: first the values, then one block for
 * each member, or a single block if there is no local memory.  A block has the
 * table of pointers to values and to addresses, these addresses, and the local
 * memory.
 */
static size_t member_size(const dprp_launch *launch, const struct sizes *sizes)
{
	return round_up(2 * launch->n_args * sizeof(void *), LOCAL_ALIGN) +
	       sizes->local;
}

dprp_rc host_launch_size(dprp_queue *queue, const dprp_kernel *kernel,
			 const dprp_launch *launch, size_t *size)
{
	struct sizes sizes;
	dprp_rc rc = launch_sizes(queue, kernel, launch, &sizes);
	size_t members = !rc && sizes.local ? queue->team->n : 1;

	if (rc)
		return rc;
	*size = LOCAL_ALIGN + round_up(sizes.values, LOCAL_ALIGN) +
		members * member_size(launch, &sizes);
	return DPR_RC_OK;
}

static void member_args(const dprp_launch *launch, unsigned char *values,
			unsigned char *member)
{
	const void **args = (const void **)member;
	const void **addresses = args + launch->n_args;
	unsigned char *local =
		member +
		round_up(2 * launch->n_args * sizeof(void *), LOCAL_ALIGN);
	const dprp_arg *arg;
	uint32_t i;

	for (i = 0; i < launch->n_args; i++) {
		arg = &launch->args[i];
		args[i] = &addresses[i];
		switch (arg->kind) {
		case DPRP_ARG_VALUE:
			memcpy(values, arg->u.value, (size_t)arg->size);
			args[i] = values;
			values += round_up((size_t)arg->size, VALUE_ALIGN);
			break;
		case DPRP_ARG_MEM:
			addresses[i] = arg->u.m.mem->address + arg->u.m.offset;
			break;
		case DPRP_ARG_LOCAL:
			addresses[i] = local;
			local += round_up((size_t)arg->size, LOCAL_ALIGN);
			break;
		default: addresses[i] = arg->u.pointer; break;
		}
	}
}

dprp_rc host_launch_init(dprp_queue *queue, const dprp_kernel *kernel,
			 const dprp_launch *launch, void *memory,
			 struct host_launch *out)
{
	unsigned char *values, *member;
	struct sizes sizes;
	uint32_t m, members;
	dprp_rc rc;

	rc = launch_sizes(queue, kernel, launch, &sizes);
	if (!rc)
		rc = launch_range(queue, launch, out);
	if (rc)
		return rc;
	values = (unsigned char *)round_up((uintptr_t)memory, LOCAL_ALIGN);
	member = values + round_up(sizes.values, LOCAL_ALIGN);
	members = sizes.local ? queue->team->n : 1;
	out->run = kernel->native->run;
	out->n_args = launch->n_args;
	out->args = (const void *const *)member;
	out->args_stride =
		sizes.local ? member_size(launch, &sizes) / sizeof(void *) : 0;
	for (m = 0; m < members; m++)
		member_args(launch, values,
			    member + m * member_size(launch, &sizes));
	return DPR_RC_OK;
}
