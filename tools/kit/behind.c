/* SPDX-License-Identifier: Apache-2.0 */
/*
 * behind.c - a plugin behind the layer "check", for a check of dpr
 * check-plugin.
 *
 * The layer is that of the library, compiled into the program once more: its
 * files are listed in tools/local.mk.
 */
#include "tools/kit/behind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/layer/around.h"
#include "core/runtime/layer/finding.h"
#include "core/runtime/layer/tag.h"
#include "tools/kit/note.h"

/* An open plugin, and the layer around it: each instance has its own. */
struct opened {
	struct plugin plugin;
	struct layer layer;
};

static const dprp_plugin *own; /* the plugin's descriptor */

/* --- The extension for tests ------------------------------------------------
 */

static const dprp_test_fault *faults; /* the plugin's */

static dprp_rc fail_next(dprp_instance *instance)
{
	return faults->fail_next(tag_real(TAG_INSTANCE, instance, NULL));
}

static dprp_rc lose(dprp_instance *instance, dprp_device *device)
{
	return faults->lose(tag_real(TAG_INSTANCE, instance, NULL),
			    tag_real(TAG_DEVICE, device, NULL));
}

static const void *get_extension(dprp_instance *instance, const char *name,
				 uint32_t version)
{
	static const dprp_test_fault shown = {
		.struct_size = sizeof(shown),
		.fail_next = fail_next,
		.lose = lose,
	};

	if (strcmp(name, DPRP_TEST_FAULT) != 0)
		return NULL;
	faults = own->extension(tag_real(TAG_INSTANCE, instance, NULL), name,
				version);
	return faults && DPRP_HAS(faults, dprp_test_fault, fail_next) &&
			       DPRP_HAS(faults, dprp_test_fault, lose)
		       ? &shown
		       : NULL;
}

/* --- Findings ---------------------------------------------------------------
 */

static void post(struct layer *layer, enum entry entry,
		 enum dpr_log_level level, const char *rule,
		 const char *expected, const char *got, va_list args)
{
	char text[360];

	(void)layer;
	/* A busy machine makes calls long, too; the group "promptness" is for
	   that.  What a core may not do, a check may try. */
	if (level != DPR_LOG_ERROR || !strcmp(rule, FINDING_CORE))
		return;
	vsnprintf(text, sizeof(text), got, args);
	/* For services of the host the layer says "open". */
	note_behind(rule,
		    entry == ENTRY_plugin_open ? NULL
					       : entries_name(entry).bytes,
		    expected, text);
}

/* The report says what is found; the rest is for a log. */
static void tell(struct layer *layer, const char *format, va_list args)
{
	(void)layer;
	(void)format;
	(void)args;
}

static void sum(struct layer *layer)
{
	(void)layer;
}

static const struct finding_sink sink = { post, tell, sum };

/* --- The plugin -------------------------------------------------------------
 */

/* Copy what both know of a table that begins with its size. */
static void copy_table(void *to, const void *from, size_t room)
{
	size_t size;

	if (!from)
		return;
	memcpy(&size, from, sizeof(size));
	if (size > room)
		size = room;
	memcpy(to, from, size);
	memcpy(to, &size, sizeof(size));
}

/* Put a layer around the plugin, for one instance.  It lives as long as the
   process. */
static struct opened *surround(const dprp_host *host)
{
	struct opened *o = calloc(1, sizeof(*o));

	if (!o)
		note_skip("out of memory");
	o->plugin.desc = own;
	o->plugin.name = own->name;
	copy_table(&o->plugin.host, host, sizeof(o->plugin.host));
	copy_table(&o->plugin.device, own->device, sizeof(o->plugin.device));
	copy_table(&o->plugin.context, own->context, sizeof(o->plugin.context));
	copy_table(&o->plugin.queue, own->queue, sizeof(o->plugin.queue));
	copy_table(&o->plugin.event, own->event, sizeof(o->plugin.event));
	copy_table(&o->plugin.mem, own->mem, sizeof(o->plugin.mem));
	copy_table(&o->plugin.module, own->module, sizeof(o->plugin.module));
	around_install(&o->layer, &o->plugin);
	o->layer.checks = true;
	return o;
}

static dprp_rc open_around(const dprp_host *host, dprp_instance **out)
{
	struct opened *o = surround(host);

	return o->layer.shown.open(&o->plugin.host, out);
}

const dprp_plugin *behind_install(const dprp_plugin *plugin,
				  const dprp_host *host)
{
	static dprp_plugin shown;
	struct opened *o;

	own = plugin;
	finding_to(&sink);
	o = surround(host);
	shown = o->layer.shown;
	shown.open = open_around;
	shown.device = &o->plugin.device;
	shown.context = &o->plugin.context;
	shown.queue = &o->plugin.queue;
	shown.event = &o->plugin.event;
	shown.mem = &o->plugin.mem;
	if (plugin->module)
		shown.module = &o->plugin.module;
	if (DPRP_HAS(plugin, dprp_plugin, extension))
		shown.extension = get_extension;
	return &shown;
}

/* --- The log ----------------------------------------------------------------
 */

/* Copy the text between @from and @to, which may be too long.  Returns false if
   one of them is missing. */
static bool cut(char *out, size_t room, const char *from, const char *to)
{
	if (!from || !to || to < from)
		return false;
	snprintf(out, room, "%.*s", (int)(to - from), from);
	return true;
}

/* Behind the next @mark; NULL: there is none. */
static const char *behind(const char *text, const char *mark)
{
	const char *at = text ? strstr(text, mark) : NULL;

	return at ? at + strlen(mark) : NULL;
}

void behind_read(const char *line)
{
	static const char got_mark[] = ": got: ", want_mark[] = "; expected: ";
	const char *entry, *got, *want, *rule;
	struct note_finding f;

	if (strncmp(line, "check: ", 7) != 0)
		return;
	entry = behind(line + 7, ": ");
	got = behind(entry, got_mark);
	want = behind(got, want_mark);
	rule = want ? strrchr(want, '[') : NULL;
	if (!rule ||
	    !cut(f.entry, sizeof(f.entry), entry, got - strlen(got_mark)) ||
	    !cut(f.got, sizeof(f.got), got, want - strlen(want_mark)) ||
	    !cut(f.expected, sizeof(f.expected), want, rule - 1) ||
	    !cut(f.rule, sizeof(f.rule), rule + 1, strchr(rule, ']')))
		return;
	note_behind(f.rule, f.entry, f.expected, f.got);
}
