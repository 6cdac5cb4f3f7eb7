/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help-native.h - for authors of backends: launches, and kernels in the format
 * "native-<target>", which <dpr/backend.h> describes at its end.  It is a part
 * of <dpr/backend-help.h>.
 */
#ifndef DPR_HELP_NATIVE_H
#define DPR_HELP_NATIVE_H

#include <dpr/help-base.h>

/* The alignment of a command's data, and of local memory. */
#define DPRH_ALIGN 64u
/* The alignment of the values of native kernels. */
#define DPRH_VALUE_ALIGN 16u

#ifdef __cplusplus
extern "C" {
#endif

/* --- Launches ------------------------------------------------------------- */

/* Refuse a launch of the kernel `name` that has an extension or unknown flags,
   or a range that does not have 1 to 3 dimensions. */
static inline dprp_rc dprh_check_launch(
	const dprp_host *host, const char *name, const dprp_launch *launch)
{
	dprp_rc rc = dprh_check_ext(host, "launch", launch->ext);

#if DPRP_ABI_MINOR >= 1
	if (!rc && (launch->flags & ~(uint64_t)DPRP_LAUNCH_BRIEF))
		rc = dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			"kernel %s: the launch has unknown flags", name);
#endif
	if (!rc && (launch->dims < 1 || launch->dims > 3))
		rc = dprh_fail(host, DPR_RC_INVALID, 0,
			"kernel %s: a range has 1 to 3 dimensions, not %u",
			name, (unsigned)launch->dims);
	return rc;
}

/* Refuse a launch of the kernel `name` that does not have n_params arguments.
 */
static inline dprp_rc dprh_check_n_args(const dprp_host *host, const char *name,
	const dprp_launch *launch, uint32_t n_params)
{
	if (launch->n_args == n_params)
		return DPR_RC_OK;
	return dprh_fail(host, DPR_RC_INVALID, 0,
		"kernel %s has %u parameters, not %u", name, (unsigned)n_params,
		(unsigned)launch->n_args);
}

/* Begin the entry queue->launch for the kernel `name`: set *event to NULL if an
   event is wanted, copy the launch, and check it as dprh_check_launch() and
   dprh_check_n_args() do.  n_params UINT32_MAX: the number of parameters is not
   known. */
static inline dprp_rc dprh_take_launch(const dprp_host *host, const char *name,
	uint32_t n_params, const dprp_launch *theirs, dprp_launch *launch,
	dprp_event **event)
{
	dprp_rc rc;

	if (event)
		*event = NULL;
	rc = dprh_take(host, "dprp_launch", launch, sizeof(*launch), theirs);
	if (!rc)
		rc = dprh_check_launch(host, name, launch);
	if (!rc && n_params != UINT32_MAX)
		rc = dprh_check_n_args(host, name, launch, n_params);
	return rc;
}

/* Whether the range has no work-items. */
static inline bool dprh_launch_is_empty(const dprp_launch *launch)
{
	uint32_t i;

	for (i = 0; i < launch->dims && i < 3; i++)
		if (!launch->global[i])
			return true;
	return false;
}

/*
 * Choose a local size for each of the ranges of one, two and three dimensions:
 * 256 work-items, at least 32 of them along the first dimension, or fewer if
 * `most` (the limit for each dimension) or max_group (the limit for the whole
 * group) is smaller.  If the kernel requires a local size, it is in `required`
 * and is chosen; if not, required[0] is 0.
 */
static inline void dprh_choose_local(uint32_t choice[3][3],
	const uint64_t required[3], const uint32_t most[3], uint32_t max_group)
{
	static const uint32_t shapes[3][3] = { { 256, 1, 1 }, { 32, 8, 1 },
		{ 32, 4, 2 } };
	uint32_t dims, i, *size;

	for (dims = 0; dims < 3; dims++) {
		size = choice[dims];
		for (i = 0; i < 3; i++) {
			size[i] = required[0] ? (uint32_t)required[i]
					      : shapes[dims][i];
			while (!required[0] && size[i] > 1 && size[i] > most[i])
				size[i] /= 2;
		}
		for (i = 3; i-- > 0 && !required[0];)
			while (size[i] > 1 &&
				size[0] * size[1] * size[2] > max_group)
				size[i] /= 2;
	}
}

/* The range of a launch, in work-items and in groups.  global is a multiple of
   local, and beyond the launch's dimensions all are 1. */
struct dprh_range {
	uint64_t global[3]; /* work-items */
	uint64_t local[3]; /* work-items in a group */
	uint64_t groups[3]; /* groups */
};

/*
 * Get the range of a launch that is not empty.  If the launch gives no local
 * size, a size of about `items` work-items is chosen, as long as possible along
 * the first dimension.  Then global is rounded up to a multiple of the local
 * size.  INVALID: the local size does not divide the global one, is above
 * max_group, or numbers overflow.
 */
DPRH_STATIC dprp_rc dprh_range_of(const dprp_host *host,
	const dprp_launch *launch, uint64_t max_group, uint64_t items,
	struct dprh_range *out)
{
	uint64_t group = 1, all = 1, room = items;
	bool good = true;
	uint32_t d;

	if (room > max_group)
		room = max_group;
	for (d = 0; d < 3 && good; d++) {
		uint64_t global = d < launch->dims ? launch->global[d] : 1;
		uint64_t local = d < launch->dims ? launch->local[d] : 1;

		if (!launch->local[0])
			local = room < global ? room : global;
		good = local && local <= max_group / group &&
		       (!launch->local[0] || global % local == 0);
		if (!good)
			break;
		room = room / local > 1 ? room / local : 1;
		group *= local;
		out->local[d] = local;
		out->groups[d] = global / local + (global % local != 0);
		good = !__builtin_mul_overflow(
			       out->groups[d], local, &out->global[d]) &&
		       !__builtin_mul_overflow(all, out->global[d], &all);
	}
	if (good)
		return DPR_RC_OK;
	return dprh_fail(host, DPR_RC_INVALID, 0,
		"launch: global %llu %llu %llu, local %llu %llu %llu: the "
		"local size must divide the global one, with at most %llu "
		"items",
		(unsigned long long)launch->global[0],
		(unsigned long long)launch->global[1],
		(unsigned long long)launch->global[2],
		(unsigned long long)launch->local[0],
		(unsigned long long)launch->local[1],
		(unsigned long long)launch->local[2],
		(unsigned long long)max_group);
}

/* --- Kernels in the format "native-<target>" ------------------------------ */

/* The entry module->pick for a plugin that takes nothing but this machine's
   native code. */
static inline dprp_rc dprh_native_pick(const dprp_host *host,
	const dprp_image *const *images, uint32_t n, uint32_t *best)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(images[i]->format, DPRP_NATIVE_FORMAT)) {
			*best = i;
			return DPR_RC_OK;
		}
	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
		"the backend has no compiler and takes " DPRP_NATIVE_FORMAT
		" only");
}

/* Get the native module of module->create, which stays the program's. */
static inline dprp_rc dprh_native_module(const dprp_host *host,
	const dprp_module_desc *theirs, const dprp_native_module **out)
{
	const uint64_t known =
		DPRP_BUILD_ROUNDED |
		(sizeof(void *) > 4 ? (uint64_t)DPRP_BUILD_LARGE : 0);
	const dprp_native_module *native;
	dprp_module_desc desc;
	uint32_t best;
	dprp_rc rc;

	*out = NULL;
	rc = dprh_take(host, "dprp_module_desc", &desc, sizeof(desc), theirs);
	if (!rc)
		rc = dprh_check_ext(host, "module", desc.ext);
	if (!rc && desc.n_spec)
		rc = dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			"native code has no specialization constants; give no "
			"values");
	/* Native code leaves nothing to a compiler, so only the size of
	   addresses matters. */
	if (!rc && (desc.flags & ~known))
		rc = dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			"build flags %#llx are not supported",
			(unsigned long long)(desc.flags & ~known));
	if (!rc)
		rc = dprh_native_pick(
			host, desc.images, desc.n_images ? 1 : 0, &best);
	if (rc)
		return rc;
	native = (const dprp_native_module *)desc.images[0]->data;
	/* Of an older core it is shorter than this header says. */
	if (desc.images[0]->size < DPRP_SIZE_TO(dprp_native_module, kernels) ||
		native->struct_size < DPRP_SIZE_TO(dprp_native_module, kernels))
		return dprh_fail(host, DPR_RC_INVALID, 0,
			"the native image is shorter than its header");
	*out = native;
	return DPR_RC_OK;
}

/* Find a kernel of a native module.  INVALID: it has none of that name. */
static inline dprp_rc dprh_native_kernel(const dprp_host *host,
	const dprp_native_module *module, const char *name,
	const dprp_native_kernel **out)
{
	char *names = NULL;
	uint32_t i;

	*out = NULL;
	for (i = 0; i < module->n_kernels; i++)
		if (!strcmp(module->kernels[i].name, name)) {
			*out = &module->kernels[i];
			return DPR_RC_OK;
		}
	for (i = 0; i < module->n_kernels; i++)
		dprh_add_name(host, &names, module->kernels[i].name);
	return dprh_no_kernel(host, 0, name, names);
}

/* The entry module->kernel_info for a native kernel. */
static inline dprp_rc dprh_native_info(const dprp_host *host,
	const dprp_native_kernel *kernel, uint64_t max_group, uint32_t key,
	void *buffer, size_t capacity, size_t *need)
{
	static const uint64_t none[3] = { 0, 0, 0 };

	switch (key) {
	case DPRP_KERNEL_PARAMS:
		return dprh_answer(host, kernel->params,
			kernel->n_params * sizeof(*kernel->params), buffer,
			capacity, need);
	case DPRP_KERNEL_MAX_WORK_GROUP:
		return dprh_answer_number(
			host, max_group, buffer, capacity, need);
	case DPRP_KERNEL_LOCAL_SIZE: /* all of it is arguments */
		return dprh_answer_number(host, 0, buffer, capacity, need);
	case DPRP_KERNEL_REQUIRED_LOCAL:
		return dprh_answer(
			host, none, sizeof(none), buffer, capacity, need);
	default: return dprh_unknown(host, "kernel", key);
	}
}

/* Round `size` up to a multiple of `to`.  The result must fit: a size of the
   program may be near SIZE_MAX, and needs a check before. */
static inline size_t dprh_round_up(size_t size, size_t to)
{
	return (size + to - 1) / to * to;
}

/* Bytes of a launch's values and of its local memory, each rounded up to its
   alignment. */
struct dprh_sizes {
	size_t values; /* of the values */
	size_t local; /* of local memory */
};

/* Why an argument does not fit a parameter, or NULL. */
static inline const char *dprh_arg_wrong(
	const dprp_arg *arg, const dprp_param *param)
{
	if (arg->kind != param->kind)
		return "the parameter is of another kind";
	if (arg->kind == DPRP_ARG_VALUE && param->size &&
		arg->size != param->size)
		return "the parameter has another size";
	return NULL;
}

/* Add an argument's size to a sum.  Returns false if it gets above `most`. */
static inline bool dprh_add_size(
	size_t *sum, uint64_t size, size_t align, size_t most)
{
	if (size > most)
		return false;
	*sum += dprh_round_up((size_t)size, align);
	return *sum <= most;
}

/*
 * Check a launch of a native kernel, but not its range, and add up its sizes,
 * which must not be above those of `most`.  UNSUPPORTED, INVALID: the text says
 * what is wrong.
 */
DPRH_STATIC dprp_rc dprh_native_check(const dprp_host *host,
	const dprp_native_kernel *kernel, const dprp_launch *launch,
	const struct dprh_sizes *most, struct dprh_sizes *out)
{
	const dprp_arg *arg;
	const char *wrong;
	uint32_t i;
	dprp_rc rc;

	out->values = out->local = 0;
	rc = dprh_check_launch(host, kernel->name, launch);
	if (!rc)
		rc = dprh_check_n_args(
			host, kernel->name, launch, kernel->n_params);
	for (i = 0; i < launch->n_args && !rc; i++) {
		arg = &launch->args[i];
		wrong = dprh_arg_wrong(arg, &kernel->params[i]);
		if (!wrong && arg->kind == DPRP_ARG_VALUE &&
			!dprh_add_size(&out->values, arg->size,
				DPRH_VALUE_ALIGN, most->values))
			wrong = "the values are too large";
		if (!wrong && arg->kind == DPRP_ARG_LOCAL &&
			!dprh_add_size(&out->local, arg->size, DPRH_ALIGN,
				most->local))
			wrong = "the device does not have that much local "
				"memory";
		if (wrong)
			rc = dprh_fail(host, DPR_RC_INVALID, 0,
				"launch: %s: argument %u: %s", kernel->name,
				(unsigned)i, wrong);
	}
	return rc;
}

/* The bytes that dprh_native_pack() needs for a launch of these sizes: a
   multiple of DPRH_ALIGN. */
static inline size_t dprh_native_size(
	const dprp_launch *launch, const struct dprh_sizes *sizes)
{
	return dprh_round_up(2 * launch->n_args * sizeof(void *), DPRH_ALIGN) +
	       dprh_round_up(sizes->values, DPRH_ALIGN) + sizes->local;
}

/*
 * Pack a launch's arguments for run() of a native kernel into `block`, which is
 * aligned to DPRH_ALIGN: pointers, addresses, values and local memory.  Threads
 * that run groups at the same time need a block each, because of the local
 * memory.  address() gives the address of memory.  Returns the pointers, which
 * are in the block; it must not move.
 */
DPRH_STATIC const void *const *dprh_native_pack(const dprp_launch *launch,
	const struct dprh_sizes *sizes, void *(*address)(dprp_mem *mem),
	void *block)
{
	const void **args = (const void **)block;
	const void **addresses = args + launch->n_args;
	unsigned char *value =
		(unsigned char *)block +
		dprh_round_up(2 * launch->n_args * sizeof(void *), DPRH_ALIGN);
	unsigned char *local = value + dprh_round_up(sizes->values, DPRH_ALIGN);
	const dprp_arg *arg;
	uint32_t i;

	for (i = 0; i < launch->n_args; i++) {
		arg = &launch->args[i];
		args[i] = &addresses[i];
		switch (arg->kind) {
		case DPRP_ARG_VALUE:
			memcpy(value, arg->u.value, (size_t)arg->size);
			args[i] = value;
			value += dprh_round_up(
				(size_t)arg->size, DPRH_VALUE_ALIGN);
			break;
		case DPRP_ARG_MEM:
			addresses[i] =
				(const unsigned char *)address(arg->u.m.mem) +
				arg->u.m.offset;
			break;
		default: /* DPRP_ARG_LOCAL */
			addresses[i] = local;
			local += dprh_round_up((size_t)arg->size, DPRH_ALIGN);
			break;
		}
	}
	return args;
}

/* Run all groups of a native kernel in this thread. */
static inline void dprh_native_run(dprp_native_run run, const void *const *args,
	const struct dprh_range *range)
{
	uint64_t group[3];

	for (group[2] = 0; group[2] < range->groups[2]; group[2]++)
		for (group[1] = 0; group[1] < range->groups[1]; group[1]++)
			for (group[0] = 0; group[0] < range->groups[0];
				group[0]++)
				run(args, range->global, range->local, group);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
