/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_host.c - the host table that a plugin gets while a layer is around
   it. */
#include "core/runtime/layer/wrap_host.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "core/runtime/layer/passage.h"
#include "core/runtime/layer/wrap_event.h"

/* What is written behind each block. */
#define TAIL 16
#define TAIL_BYTE 0xa5

static struct layer *layer_of(dprp_host_instance *self)
{
	return (struct layer *)(void *)self;
}

/* The core's table. */
static const dprp_host *core_of(dprp_host_instance *self)
{
	return &layer_of(self)->plugin->host;
}

/* Report a fault of a plugin outside of its answers: it counts as open's. */
#define HOST_BAD(self, rule, may, ...)                                       \
	finding_post(layer_of(self), ENTRY_plugin_open, DPR_LOG_ERROR, rule, \
		     may, __VA_ARGS__)

static void *wrap_alloc(dprp_host_instance *self, size_t size)
{
	const dprp_host *core = core_of(self);
	struct tag *tag;
	bool twice;
	char *block;

	if (size > SIZE_MAX - TAIL)
		return NULL;
	tag = tag_new(layer_of(self), TAG_BLOCK, 0);
	block = tag ? core->alloc(core->self, size + TAIL) : NULL;
	if (!block) {
		tag_drop(tag);
		passage_starve();
		return NULL;
	}
	memset(block + size, TAIL_BYTE, TAIL);
	tag->u.block = size;
	(void)tag_add(tag, block, &twice);
	return block;
}

static void wrap_free(dprp_host_instance *self, void *block)
{
	const dprp_host *core = core_of(self);
	const unsigned char *tail;
	size_t size = 0, i;

	if (!block)
		return;
	if (!tag_remove_block(layer_of(self), block, &size)) {
		HOST_BAD(self, "H1", "blocks of host->alloc(), each once",
			 "host->free() of a block that was freed before, or "
			 "that alloc() did not give; it is not freed");
		return;
	}
	tail = (unsigned char *)block + size;
	for (i = 0; i < TAIL && tail[i] == TAIL_BYTE; i++)
		;
	if (i < TAIL)
		HOST_BAD(self, "H1", "nothing written behind a block",
			 "a block of %zu bytes with others written behind it",
			 size);
	core->free(core->self, block);
}

static void wrap_log(dprp_host_instance *self, int32_t level, const char *line)
{
	const dprp_host *core = core_of(self);

	if (level < DPR_LOG_ERROR || level > DPR_LOG_TRACE || !line)
		HOST_BAD(self, "H2", "a level from 1 to 5, and a line",
			 "host->log() of level %d, with %s", (int)level,
			 line ? "a line" : "NULL");
	core->log(core->self, level, line);
}

static void wrap_set_error(dprp_host_instance *self, dprp_rc rc, int64_t native,
			   const char *text)
{
	const dprp_host *core = core_of(self);

	if (passage_error(rc, text))
		core->set_error(core->self, rc, native, text);
}

static const char *wrap_option(dprp_host_instance *self, const char *key)
{
	const dprp_host *core = core_of(self);

	return core->option(core->self, key);
}

static void *wrap_driver_open(dprp_host_instance *self,
			      const char *const *sonames, size_t count)
{
	const dprp_host *core = core_of(self);

	atomic_store(&layer_of(self)->has_driver, true);
	return core->driver_open(core->self, sonames, count);
}

static void *wrap_driver_sym(dprp_host_instance *self, void *library,
			     const char *symbol)
{
	const dprp_host *core = core_of(self);

	return core->driver_sym(core->self, library, symbol);
}

/* Check the signals of a thread that the plugin may have started. */
static void check_signals(dprp_host_instance *self)
{
	sigset_t set;

	if (!layer_of(self)->checks ||
	    atomic_load(&layer_of(self)->has_driver) || passage_known())
		return;
	sigemptyset(&set);
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	if (!sigismember(&set, SIGUSR1))
		HOST_BAD(self, "T2", "all signals blocked in its threads",
			 "event_done() in a thread that takes signals");
}

static void wrap_done(dprp_host_instance *self, uint64_t token, dprp_rc status)
{
	const dprp_host *core = core_of(self);
	uint64_t given = 0;

	check_signals(self);
	if (wrap_event_done(layer_of(self), (uintptr_t)token, &given))
		core->event_done(core->self, given, status);
}

static void wrap_lost(dprp_host_instance *self, dprp_device *device,
		      const char *why)
{
	void *shown = tag_shown(layer_of(self), TAG_DEVICE, device);
	struct tag *tag = tag_get(TAG_DEVICE, tag_number(shown));
	const dprp_host *core = core_of(self);

	if (tag) {
		tag->u.device.lost = true;
		if (tag->u.device.root) {
			uintptr_t root = tag->u.device.root;

			tag_put();
			tag = tag_get(TAG_DEVICE, root);
			if (tag)
				tag->u.device.lost = true;
		}
		if (tag)
			tag_put();
	}
	core->device_lost(core->self, shown, why);
}

void wrap_host_install(struct layer *layer)
{
	layer->host = layer->plugin->host;
	layer->host.self = (dprp_host_instance *)(void *)layer;
	layer->host.alloc = wrap_alloc;
	layer->host.free = wrap_free;
	layer->host.log = wrap_log;
	layer->host.set_error = wrap_set_error;
	layer->host.option = wrap_option;
	layer->host.driver_open = wrap_driver_open;
	layer->host.driver_sym = wrap_driver_sym;
	layer->host.event_done = wrap_done;
	layer->host.device_lost = wrap_lost;
}
