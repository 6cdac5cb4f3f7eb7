/* SPDX-License-Identifier: Apache-2.0 */
/* host_context.c - contexts, which have nothing but their instance. */
#include "host.h"

dprp_rc host_context_create(dprp_instance *instance, dprp_device *root,
			    const dprp_ext *ext, dprp_context **out)
{
	(void)root;
	*out = NULL;
	if (ext)
		return host_util_fail(
			instance, DPR_RC_UNSUPPORTED,
			"host: context: extension %.40s is unknown", ext->name);
	*out = host_util_alloc(instance, sizeof(**out));
	if (!*out)
		return DPR_RC_OOM_HOST;
	(*out)->instance = instance;
	return DPR_RC_OK;
}

void host_context_destroy(dprp_context *context)
{
	host_util_free(context->instance, context);
}
