/* SPDX-License-Identifier: Apache-2.0 */
/* host_context.c - contexts, which hold nothing but their instance. */
#include "host.h"

dprp_rc host_context_create(dprp_instance *instance, dprp_device *root,
			    const dprp_ext *ext, dprp_context **out)
{
	dprp_rc rc = dprh_check_ext(&instance->host, "context", ext);

	(void)root;
	*out = NULL;
	if (rc)
		return rc;
	*out = host_util_alloc(instance, sizeof(**out));
	if (!*out)
		return DPR_RC_OOM_HOST;
	(*out)->instance = instance;
	return DPR_RC_OK;
}

void host_context_destroy(dprp_context *context)
{
	dprh_free(&context->instance->host, context);
}
