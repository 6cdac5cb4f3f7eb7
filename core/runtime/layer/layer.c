/* SPDX-License-Identifier: Apache-2.0 */
/* layer.c - putting the layers "check" and "fault" around a plugin. */
#include "core/runtime/layer/layer.h"

#include "core/base/mem.h"
#include "core/base/settings.h"
#include "core/base/status.h"
#include "core/runtime/layer/layered.h"
#include "core/runtime/layer/watch.h"
#include "core/runtime/layer/wrap_device.h"
#include "core/runtime/layer/wrap_event.h"
#include "core/runtime/layer/wrap_host.h"
#include "core/runtime/layer/wrap_mem.h"
#include "core/runtime/layer/wrap_module.h"
#include "core/runtime/layer/wrap_plugin.h"
#include "core/runtime/layer/wrap_queue.h"

/* All layers, which live until the process ends.  One thread at a time opens
   backends. */
static struct layer *layers;

void layer_prepare(void)
{
	watch_prepare();
}

dpr_status layer_install(struct plugin *plugin)
{
	struct layer *layer;

	if (plugin->layer || (!settings_check() && !settings_fault()))
		return DPR_OK;
	layer = mem_alloc(sizeof(*layer));
	if (!layer)
		return fail_memory("the layers of DPR_LAYERS");
	pthread_mutex_init(&layer->lock, NULL);
	layer->plugin = plugin;
	layer->desc = plugin->desc;
	layer->device = plugin->device;
	layer->context = plugin->context;
	layer->queue = plugin->queue;
	layer->event = plugin->event;
	layer->mem = plugin->mem;
	layer->module = plugin->module;
	layer->next = layers;
	layers = layer;
	wrap_host_install(layer);
	wrap_plugin_install(layer);
	wrap_device_install(layer, &plugin->device, &plugin->context);
	wrap_queue_install(layer, &plugin->queue);
	wrap_event_install(layer, &plugin->event);
	wrap_mem_install(layer, &plugin->mem);
	if (layer->module.struct_size)
		wrap_module_install(layer, &plugin->module);
	plugin->desc = &layer->shown;
	plugin->layer = layer;
	watch_start();
	return DPR_OK;
}
