/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_modules.c - faults of modules and kernels' answers. */
#include <string.h>

#include "tests/kit/faulty.h"

#define CREATE_ARGS                                 \
	dprp_context *context, dprp_device *device, \
		const dprp_module_desc *desc, dprp_module **out

static dprp_rc pick_first(dprp_device *device, const dprp_image *const *images,
			  uint32_t n, uint32_t *best)
{
	(void)device;
	(void)images;
	(void)n;
	*best = 0;
	return DPR_RC_OK;
}

static void picks_any(void)
{
	faulty.module.pick = pick_first;
}

static dprp_rc pick_beyond(dprp_device *device, const dprp_image *const *images,
			   uint32_t n, uint32_t *best)
{
	dprp_rc rc = faulty.mock->module->pick(device, images, n, best);

	*best = n;
	return rc;
}

static void picks_beyond(void)
{
	faulty.module.pick = pick_beyond;
}

static dprp_rc pick_none(dprp_device *device, const dprp_image *const *images,
			 uint32_t n, uint32_t *best)
{
	(void)device;
	(void)images;
	(void)n;
	(void)best;
	return faulty_fail(DPR_RC_UNSUPPORTED);
}

static void picks_none(void)
{
	faulty.module.pick = pick_none;
}

static dprp_rc create_silent(CREATE_ARGS)
{
	dprp_module_desc silent = *desc;

	memset(&silent.log, 0, sizeof(silent.log));
	silent.struct_size = sizeof(silent);
	return faulty.mock->module->create(context, device, &silent, out);
}

static void no_log(void)
{
	faulty.module.create = create_silent;
}

static dprp_rc create_native(CREATE_ARGS)
{
	dprp_rc rc = faulty.mock->module->create(context, device, desc, out);

	return rc == DPR_RC_BUILD ? faulty_fail(DPR_RC_NATIVE) : rc;
}

static void not_build(void)
{
	faulty.module.create = create_native;
}

static dprp_rc create_any(CREATE_ARGS)
{
	dprp_module_desc known = *desc;

	known.flags &= 3;
	known.ext = NULL;
	return faulty.mock->module->create(context, device, &known, out);
}

static void any_flag(void)
{
	faulty.module.create = create_any;
}

static dprp_rc create_plain(CREATE_ARGS)
{
	dprp_module_desc plain = *desc;

	plain.n_spec = 0;
	plain.spec = NULL;
	return faulty.mock->module->create(context, device, &plain, out);
}

static void any_constant(void)
{
	faulty.module.create = create_plain;
}

static dprp_rc kernel_any(dprp_module *module, const char *name,
			  dprp_kernel **out)
{
	return faulty.mock->module->kernel(
		module, strcmp(name, "no_such") ? name : "add_one", out);
}

static void any_name(void)
{
	faulty.module.kernel = kernel_any;
}

static dprp_kernel *only;

static dprp_rc kernel_same(dprp_module *module, const char *name,
			   dprp_kernel **out)
{
	dprp_rc rc = DPR_RC_OK;

	if (!only)
		rc = faulty.mock->module->kernel(module, name, &only);
	*out = only;
	return rc;
}

static void keep_kernel(dprp_kernel *kernel)
{
	(void)kernel;
}

static void same_kernel(void)
{
	faulty.module.kernel = kernel_same;
	faulty.module.kernel_destroy = keep_kernel;
}

static dprp_rc info_less(dprp_kernel *kernel, dprp_device *device, uint32_t key,
			 void *buffer, size_t capacity, size_t *need)
{
	dprp_rc rc = faulty.mock->module->kernel_info(kernel, device, key,
						      buffer, capacity, need);

	if (!rc && key == DPRP_KERNEL_PARAMS)
		*need -= sizeof(dprp_param);
	return rc;
}

static void param_lost(void)
{
	faulty.module.kernel_info = info_less;
}

static dprp_rc info_kind(dprp_kernel *kernel, dprp_device *device, uint32_t key,
			 void *buffer, size_t capacity, size_t *need)
{
	dprp_rc rc = faulty.mock->module->kernel_info(kernel, device, key,
						      buffer, capacity, need);

	if (!rc && buffer && key == DPRP_KERNEL_PARAMS)
		((dprp_param *)buffer)[0].kind = DPRP_ARG_LOCAL;
	return rc;
}

static void param_kind(void)
{
	faulty.module.kernel_info = info_kind;
}

static dprp_rc info_known(dprp_kernel *kernel, dprp_device *device,
			  uint32_t key, void *buffer, size_t capacity,
			  size_t *need)
{
	if (key > DPRP_KERNEL_COMPILES_LATE) {
		*need = 8;
		return DPR_RC_OK;
	}
	return faulty.mock->module->kernel_info(kernel, device, key, buffer,
						capacity, need);
}

static void kernel_knows_all(void)
{
	faulty.module.kernel_info = info_known;
}

const struct fault faulty_modules_faults[] = {
	{ "picks_any", picks_any },
	{ "picks_beyond", picks_beyond },
	{ "picks_none", picks_none },
	{ "no_log", no_log },
	{ "not_build", not_build },
	{ "any_flag", any_flag },
	{ "any_constant", any_constant },
	{ "any_name", any_name },
	{ "same_kernel", same_kernel },
	{ "param_lost", param_lost },
	{ "param_kind", param_kind },
	{ "kernel_knows_all", kernel_knows_all },
	{ NULL, NULL },
};
