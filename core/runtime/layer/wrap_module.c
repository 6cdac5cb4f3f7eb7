/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_module.c - the entries of modules and kernels. */
#include "core/runtime/layer/wrap_module.h"

#include <string.h>

#include "core/runtime/layer/answer.h"

static dprp_rc wrap_pick(dprp_device *device, const dprp_image *const *images,
			 uint32_t n, uint32_t *best)
{
	uint32_t got = PASSAGE_NUMBER;
	struct passage p;
	void *real;
	dprp_rc rc =
		passage_begin(&p, ENTRY_module_pick, TAG_DEVICE, device, &real);

	if (rc)
		return rc;
	rc = passage_end(&p, p.layer->module.pick(real, images, n, &got));
	if (rc)
		return rc;
	if (got >= n)
		passage_bad(&p, "K1", "the index of an image in *best",
			    "DPR_RC_OK and %s%u of %u images",
			    got == PASSAGE_NUMBER
				    ? "an index that was not set, "
				    : "the index ",
			    (unsigned)got, (unsigned)n);
	if (got != PASSAGE_NUMBER)
		*best = got;
	return rc;
}

/* The messages of a compiler. */
struct messages {
	dprp_sink to;
	bool any;
};

static void pass_message(void *user, const char *bytes, size_t size)
{
	struct messages *messages = user;

	messages->any |= size != 0;
	if (messages->to.write)
		messages->to.write(messages->to.user, bytes, size);
}

/* Whether a routine of a library is asked for. */
static bool is_routine(const dprp_module_desc *desc)
{
	return !strcmp(desc->images[0]->format, DPRP_CALLS_FORMAT);
}

static dprp_rc wrap_create(dprp_context *context, dprp_device *device,
			   const dprp_module_desc *desc, dprp_module **out)
{
	struct messages messages = { .to = desc->log };
	dprp_module *made = PASSAGE_UNSET;
	dprp_module_desc own = *desc;
	struct passage_maker m;
	struct passage p;
	dprp_rc rc = passage_begin_making(&p, ENTRY_module_create, TAG_MODULE,
					  context, device, &m);

	if (rc)
		return rc;
	own.log = (dprp_sink){ pass_message, &messages };
	rc = passage_end(
		&p, p.layer->module.create(m.context, m.device, &own, &made));
	if (rc == DPR_RC_BUILD && !messages.any)
		passage_bad(&p, "K2", "the reason in desc->log",
			    "DPR_RC_BUILD, and nothing in the log");
	if (!rc && !messages.any && is_routine(desc))
		passage_bad(&p, "X1", "a line about the library in desc->log",
			    "DPR_RC_OK for a routine, and nothing in the log");
	*out = passage_made(&p, rc, m.tag, made);
	return rc;
}

static void wrap_destroy(dprp_module *module)
{
	uintptr_t number = tag_number(module);
	struct passage p;
	size_t left;
	void *real;

	if (passage_begin(&p, ENTRY_module_destroy, TAG_MODULE, module, &real))
		return;
	left = tag_count(p.layer, TAG_KERNEL, number);
	if (left)
		passage_bad(&p, FINDING_CORE,
			    "a module whose kernels have been destroyed",
			    "one of which %zu are left", left);
	if (tag_remove(TAG_MODULE, number))
		p.layer->module.destroy(real);
	(void)passage_end(&p, DPR_RC_OK);
}

static dprp_rc wrap_binary(dprp_module *module, dprp_sink out)
{
	struct passage p;
	void *real;
	dprp_rc rc = passage_begin(&p, ENTRY_module_binary, TAG_MODULE, module,
				   &real);

	return rc ? rc : passage_end(&p, p.layer->module.binary(real, out));
}

static dprp_rc wrap_kernel(dprp_module *module, const char *name,
			   dprp_kernel **out)
{
	dprp_kernel *made = PASSAGE_UNSET;
	struct passage p;
	struct tag *tag;
	void *real;
	dprp_rc rc = passage_begin(&p, ENTRY_module_kernel, TAG_MODULE, module,
				   &real);

	if (rc)
		return rc;
	tag = tag_new(p.layer, TAG_KERNEL, tag_number(module));
	if (!tag)
		return passage_cancel(&p, DPR_RC_OOM_HOST);
	rc = passage_end(&p, p.layer->module.kernel(real, name, &made));
	*out = passage_made(&p, rc, tag, made);
	return rc;
}

static void wrap_kernel_destroy(dprp_kernel *kernel)
{
	struct passage p;
	void *real;

	if (passage_begin(&p, ENTRY_module_kernel_destroy, TAG_KERNEL, kernel,
			  &real))
		return;
	if (tag_remove(TAG_KERNEL, tag_number(kernel)))
		p.layer->module.kernel_destroy(real);
	(void)passage_end(&p, DPR_RC_OK);
}

static const char *bad_form(uint32_t key, const void *value, size_t size)
{
	const dprp_param *params = value;
	size_t i;

	if (key == DPRP_KERNEL_REQUIRED_LOCAL)
		return size != 24 ? "three numbers of 8 bytes" : NULL;
	if (key != DPRP_KERNEL_PARAMS)
		return size != 8 ? "8 bytes" : NULL;
	if (size % sizeof(*params))
		return "a dprp_param for each parameter";
	for (i = 0; value && i < size / sizeof(*params); i++)
		if (params[i].kind > DPRP_ARG_LOCAL)
			return "parameters of a kind that exists";
	return NULL;
}

static dprp_rc ask_kernel(const struct answer *a, void *buffer, size_t capacity,
			  size_t *need)
{
	return a->p->layer->module.kernel_info(a->handle, a->device, a->key,
					       buffer, capacity, need);
}

static dprp_rc wrap_kernel_info(dprp_kernel *kernel, dprp_device *device,
				uint32_t key, void *buffer, size_t capacity,
				size_t *need)
{
	struct passage p;
	void *real, *real_device;
	dprp_rc rc = passage_begin(&p, ENTRY_module_kernel_info, TAG_KERNEL,
				   kernel, &real);

	if (rc)
		return rc;
	real_device = passage_real(&p, TAG_DEVICE, device);
	if (!real_device)
		return passage_cancel(&p, DPR_RC_ABI);
	return answer_get(&(struct answer){ &p, ask_kernel, real, real_device,
					    key, buffer, capacity, need,
					    bad_form, "K5" });
}

void wrap_module_install(struct layer *layer, dprp_module_ops *ops)
{
	ops->pick = wrap_pick;
	ops->create = wrap_create;
	ops->destroy = wrap_destroy;
	if (DPRP_HAS(layer->desc->module, dprp_module_ops, binary))
		ops->binary = wrap_binary;
	ops->kernel = wrap_kernel;
	ops->kernel_destroy = wrap_kernel_destroy;
	ops->kernel_info = wrap_kernel_info;
}
