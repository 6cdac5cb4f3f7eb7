/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_plugin.c - the entries of the descriptor. */
#include "core/runtime/layer/wrap_plugin.h"

#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/runtime/layer/passage.h"

#define SIGNALS 65
/* Longer names of locales are cut. */
#define LOCALE 256

/* What a plugin must leave as it is. */
struct process_state {
	void (*handlers[SIGNALS])(int);
	sigset_t mask;
	char locale[LOCALE];
};

static void remember(struct process_state *state)
{
	struct sigaction action;
	const char *locale = setlocale(LC_ALL, NULL);
	int s;

	memset(state, 0, sizeof(*state));
	for (s = 1; s < SIGNALS; s++)
		if (!sigaction(s, NULL, &action))
			state->handlers[s] = action.sa_handler;
	pthread_sigmask(SIG_BLOCK, NULL, &state->mask);
	snprintf(state->locale, sizeof(state->locale), "%s",
		 locale ? locale : "");
}

/* Check that the call left the process as in @before.  If the plugin has opened
   a driver, the driver may have made the changes: then a change is only
   mentioned. */
static void check_process(struct passage *p, const struct process_state *before)
{
	struct process_state now;
	struct text changed = { 0 };
	int s;

	remember(&now);
	for (s = 1; s < SIGNALS; s++) {
		bool masked = sigismember(&now.mask, s) !=
			      sigismember(&before->mask, s);

		if (masked || now.handlers[s] != before->handlers[s])
			text_print(&changed, "%s%d%s", changed.size ? ", " : "",
				   s, masked ? " (mask)" : "");
	}
	if (changed.size && atomic_load(&p->layer->has_driver))
		finding_tell(p->layer,
			     "its driver has changed the handlers of signals "
			     "%s",
			     text_get(&changed));
	else if (changed.size)
		passage_bad(p, "E4",
			    "the signal handlers and the mask as they were",
			    "others for the signals %s", text_get(&changed));
	text_fini(&changed);
	if (strcmp(now.locale, before->locale) != 0)
		passage_bad(p, "E4", "the locale as it was",
			    "\"%s\", not \"%s\"", now.locale, before->locale);
}

static dprp_rc wrap_open(const dprp_host *host, dprp_instance **out)
{
	/* The core gives plugin->host, which is in the struct. */
	struct plugin *plugin =
		(struct plugin *)(void *)((char *)(uintptr_t)host -
					  offsetof(struct plugin, host));
	struct layer *layer = plugin->layer;
	dprp_instance *made = PASSAGE_UNSET;
	struct process_state before;
	struct passage p;
	struct tag *tag;
	dprp_rc rc;

	atomic_store(&layer->calls, 0);
	rc = passage_open(&p, layer, ENTRY_plugin_open);
	if (rc)
		return rc;
	tag = tag_new(layer, TAG_INSTANCE, 0);
	if (!tag)
		return passage_cancel(&p, DPR_RC_OOM_HOST);
	remember(&before);
	rc = passage_end(&p, layer->desc->open(&layer->host, &made));
	if (layer->checks)
		check_process(&p, &before);
	*out = passage_made(&p, rc, tag, made);
	return rc;
}

/* Report what the core has not destroyed. */
static void check_left(struct passage *p)
{
	static const struct {
		enum tag_kind kind;
		const char *name;
	} kinds[] = {
		{ TAG_KERNEL, "kernels" }, { TAG_MODULE, "modules" },
		{ TAG_EVENT, "events" },   { TAG_MEM, "allocations" },
		{ TAG_QUEUE, "queues" },   { TAG_CONTEXT, "contexts" },
	};
	struct text left = { 0 };
	size_t i, n;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		n = tag_count(p->layer, kinds[i].kind, 0);
		if (n)
			text_print(&left, "%s%zu %s", left.size ? ", " : "", n,
				   kinds[i].name);
	}
	if (left.size)
		finding_post(p->layer, p->entry, DPR_LOG_WARN, FINDING_CORE,
			     "nothing left but what work uses that could not "
			     "be waited for",
			     "%s that were not destroyed", text_get(&left));
	text_fini(&left);
}

static void wrap_close(dprp_instance *instance, uint32_t reason)
{
	struct passage p;
	size_t blocks;
	void *real;

	if (passage_begin(&p, ENTRY_plugin_close, TAG_INSTANCE, instance,
			  &real))
		return;
	check_left(&p);
	/* So that the layer's thread asks for none any more. */
	tag_remove_all(p.layer, TAG_EVENT);
	p.layer->desc->close(real, reason);
	(void)passage_end(&p, DPR_RC_OK);
	blocks = tag_count(p.layer, TAG_BLOCK, 0);
	if (blocks)
		passage_bad(&p, "O5", "all blocks of host->alloc() freed",
			    "%zu blocks that were not freed", blocks);
	tag_remove_all(p.layer, TAG_KINDS);
	finding_sum(p.layer);
}

/* --- Native handles --------------------------------------------------------
 */

/* The kind of handle of DPRP_NATIVE_*; TAG_KINDS: there is none. */
static enum tag_kind kind_of(uint32_t what)
{
	switch (what) {
	case DPRP_NATIVE_PLATFORM:
	case DPRP_NATIVE_DEVICE: return TAG_DEVICE;
	case DPRP_NATIVE_CONTEXT: return TAG_CONTEXT;
	case DPRP_NATIVE_QUEUE: return TAG_QUEUE;
	case DPRP_NATIVE_EVENT: return TAG_EVENT;
	case DPRP_NATIVE_MEMORY: return TAG_MEM;
	case DPRP_NATIVE_PROGRAM: return TAG_MODULE;
	case DPRP_NATIVE_KERNEL: return TAG_KERNEL;
	}
	return TAG_KINDS;
}

static dprp_rc wrap_native_get(dprp_instance *instance, uint32_t what,
			       void *handle, uint32_t type, uintptr_t *out)
{
	struct passage p;
	void *real, *real_handle;
	dprp_rc rc = passage_begin(&p, ENTRY_plugin_native_get, TAG_INSTANCE,
				   instance, &real);

	if (rc)
		return rc;
	real_handle = passage_real(&p, kind_of(what), handle);
	if (!real_handle)
		return passage_cancel(&p, DPR_RC_ABI);
	return passage_end(&p, p.layer->desc->native_get(
				       real, what, real_handle, type, out));
}

/* What is known of a handle over one of the driver's. */
static void describe(struct tag *tag, uintptr_t device, uint64_t size,
		     uint64_t flags)
{
	if (tag->kind == TAG_QUEUE)
		tag->u.queue =
			(struct tag_queue){ .device = device, .flags = flags };
	else if (tag->kind == TAG_MEM)
		tag->u.mem = (struct tag_mem){ .device = device,
					       .size = size,
					       .align = 1 };
	else if (tag->kind == TAG_EVENT)
		tag->u.event = (struct tag_event){
			.entry = ENTRY_plugin_native_wrap,
			.since = clock_now(),
		};
}

static dprp_rc wrap_native_wrap(dprp_instance *instance, uint32_t what,
				dprp_context *parent, dprp_device *device,
				uintptr_t in, uint64_t size, uint32_t own,
				uint64_t *flags, void **out)
{
	void *made = PASSAGE_UNSET, *real, *context, *real_device;
	struct passage p;
	struct tag *tag;
	dprp_rc rc = passage_begin(&p, ENTRY_plugin_native_wrap, TAG_INSTANCE,
				   instance, &real);

	if (rc)
		return rc;
	context = passage_real(&p, TAG_CONTEXT, parent);
	real_device = passage_real(&p, TAG_DEVICE, device);
	if (!context || !real_device)
		return passage_cancel(&p, DPR_RC_ABI);
	tag = tag_new(p.layer, kind_of(what), tag_number(parent));
	if (!tag)
		return passage_cancel(&p, DPR_RC_OOM_HOST);
	rc = passage_end(&p, p.layer->desc->native_wrap(real, what, context,
							real_device, in, size,
							own, flags, &made));
	describe(tag, tag_number(device), size, *flags);
	*out = passage_made(&p, rc, tag, made);
	return rc;
}

void wrap_plugin_install(struct layer *layer)
{
	const dprp_plugin *own = layer->desc;
	size_t size = own->struct_size < sizeof(layer->shown)
			      ? own->struct_size
			      : sizeof(layer->shown);

	memcpy(&layer->shown, own, size);
	layer->shown.struct_size = size;
	layer->shown.open = wrap_open;
	layer->shown.close = wrap_close;
	if (DPRP_HAS(own, dprp_plugin, native_get))
		layer->shown.native_get = wrap_native_get;
	if (DPRP_HAS(own, dprp_plugin, native_wrap))
		layer->shown.native_wrap = wrap_native_wrap;
}
