/* SPDX-License-Identifier: Apache-2.0 */
/* layer.c - putting the layers "check" and "fault" around a plugin. */
#include "core/runtime/layer/layer.h"

#include "core/base/mem.h"
#include "core/base/settings.h"
#include "core/base/status.h"
#include "core/runtime/layer/around.h"
#include "core/runtime/layer/fault.h"
#include "core/runtime/layer/layered.h"
#include "core/runtime/layer/logged.h"
#include "core/runtime/layer/watch.h"

/* All layers, which live until the process ends.  One thread at a time opens
   backends. */
static struct layer *layers;

void layer_prepare(void)
{
	watch_prepare();
}

dpr_status layer_install(struct plugin *plugin)
{
	struct layer *layer = plugin->layer;

	if (!settings_check() && !settings_fault())
		return DPR_OK;
	if (!layer) {
		layer = mem_alloc(sizeof(*layer));
		if (!layer)
			return fail_memory("the layers of DPR_LAYERS");
		layer->next = layers;
		layers = layer;
		around_install(layer, plugin);
	}
	finding_to(&logged_sink);
	layer->checks = settings_check();
	layer->fails = settings_fault() ? fault_plant : NULL;
	watch_start();
	return DPR_OK;
}
