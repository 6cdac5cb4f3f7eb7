/* SPDX-License-Identifier: Apache-2.0 */
/* around.c - the functions of the layers in the tables of a plugin. */
#include "core/runtime/layer/around.h"

#include "core/runtime/layer/wrap_device.h"
#include "core/runtime/layer/wrap_event.h"
#include "core/runtime/layer/wrap_host.h"
#include "core/runtime/layer/wrap_mem.h"
#include "core/runtime/layer/wrap_module.h"
#include "core/runtime/layer/wrap_plugin.h"
#include "core/runtime/layer/wrap_queue.h"

void around_install(struct layer *layer, struct plugin *plugin)
{
	pthread_mutex_init(&layer->lock, NULL);
	layer->plugin = plugin;
	layer->desc = plugin->desc;
	layer->device = plugin->device;
	layer->context = plugin->context;
	layer->queue = plugin->queue;
	layer->event = plugin->event;
	layer->mem = plugin->mem;
	layer->module = plugin->module;
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
}
