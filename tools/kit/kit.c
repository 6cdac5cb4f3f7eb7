/* SPDX-License-Identifier: Apache-2.0 */
/* kit.c - opening and closing a plugin for a check. */
#include "tools/kit/kit.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/kit/behind.h"

const char *kit_load(struct kit *kit)
{
	static char why[160];
	void *library = dlopen(kit->file, RTLD_NOW | RTLD_LOCAL);
	dprp_entry_fn entry;

	if (!library)
		return dlerror();
	*(void **)&entry = dlsym(library, DPRP_ENTRY_SYMBOL);
	if (!entry)
		return "it does not export " DPRP_ENTRY_SYMBOL "()";
	note_step(DPRP_ENTRY_SYMBOL, "host_minor=%d", DPRP_ABI_MINOR);
	kit->plugin = entry(DPRP_ABI_MINOR);
	if (!kit->plugin)
		return DPRP_ENTRY_SYMBOL "() returns NULL";
	if (kit->plugin->magic != DPRP_MAGIC ||
	    kit->plugin->abi_major != DPRP_ABI_MAJOR) {
		snprintf(why, sizeof(why),
			 "its descriptor has magic %#llx and abi_major %u, not "
			 "DPRP_MAGIC (%#llx) and %d",
			 ULL(kit->plugin->magic), kit->plugin->abi_major,
			 ULL(DPRP_MAGIC), DPRP_ABI_MAJOR);
		return why;
	}
	note_version(kit->plugin->abi_minor);
	kit_host_init(&kit->host, &kit->table, kit->plugin->name);
	if (kit->behind)
		kit->plugin = behind_install(kit->plugin, &kit->table);
	return NULL;
}

dprp_rc kit_start(struct kit *kit)
{
	dprp_rc rc;

	kit->instance = NOTE_POISON;
	rc = NOTE_CALL(kit->plugin->open(&kit->table, &kit->instance), "open",
		       "host");
	if (rc)
		kit->instance = NULL;
	else
		note_handle(kit->instance);
	return rc;
}

/* Whether the device is one that the word of a selector names. */
static bool is_of_type(struct kit *kit, dprp_device *device, const char *word)
{
	static const char *const types[] = { "", "cpu", "gpu", "accelerator",
					     "custom" };
	uint64_t type = kit_u64(kit, device, DPR_INFO_TYPE, DPR_DEVICE_CUSTOM);

	return type < KIT_COUNT(types) && !strcmp(types[type], word);
}

/* Whether the selector, but for its number, names the device; *@number gets
   the number. */
static bool is_selected(struct kit *kit, dprp_device *device, uint32_t *number)
{
	const char *at = kit->selector;
	char word[64];
	size_t n;
	char *end;

	while (at && *at) {
		n = strcspn(at, ":");
		snprintf(word, sizeof(word), "%.*s", (int)n, at);
		at += n + (at[n] == ':');
		*number = (uint32_t)strtoul(word, &end, 10);
		if (end != word && !*end)
			continue;
		*number = 0;
		if (strcmp(word, kit->plugin->name) != 0 &&
		    !is_of_type(kit, device, word))
			return false;
	}
	return true;
}

/* Find the device.  False: there is none that the selector names. */
static bool choose_device(struct kit *kit)
{
	const dprp_device_ops *ops = kit->plugin->device;
	uint32_t i, number = 0, seen = 0;
	dprp_device *device;

	if (NOTE_CALL(ops->count(kit->instance, &kit->n_devices),
		      "device->count", "%s", ""))
		return false;
	for (i = 0; i < kit->n_devices; i++) {
		device = NOTE_POISON;
		note_need("V2", NOTE_CALL(ops->get(kit->instance, i, &device),
					  "device->get", "index=%u", i));
		note_handle(device);
		if (is_selected(kit, device, &number) && seen++ == number) {
			kit->device = device;
			return true;
		}
	}
	return false;
}

void kit_open(struct kit *kit)
{
	static bool opened; /* this process has opened the plugin before */
	dprp_rc rc = kit_start(kit);

	if (rc && opened) {
		note_bad("O3", "OK, as before", "%s: %s", note_rc_name(rc),
			 note_error_text());
		note_end();
	}
	opened = true;
	if (rc)
		note_skip("open() returned %s: %s", note_rc_name(rc),
			  note_error_text());
	if (!choose_device(kit))
		note_skip("there is no such device");
	kit->context = NOTE_POISON;
	note_need("C1", NOTE_CALL(kit->plugin->context->create(
					  kit->instance, kit->device, NULL,
					  &kit->context),
				  "context->create", "ext=NULL"));
	note_handle(kit->context);
	kit->queue = kit_queue(kit, DPRP_QUEUE_PROFILING, &kit->got_flags);
}

/* Check what is left after close(). */
static void check_left(struct kit *kit)
{
	int64_t live;

	pthread_mutex_lock(&kit->host.lock);
	live = kit->host.live;
	if (kit->host.signals_open && kit->host.drivers)
		note_tell("event_done() in a thread that takes signals, "
			  "perhaps the driver's");
	else if (kit->host.signals_open)
		note_bad("T2", "all signals blocked in threads of the plugin",
			 "event_done() in a thread that takes signals");
	pthread_mutex_unlock(&kit->host.lock);
	/* A check with a finding ends without freeing its objects. */
	if (live && !note_found())
		note_bad(kit->leaks ? kit->leaks : "O5",
			 "each block of host->alloc() is given back",
			 "%lld block%s left", (long long)live,
			 live == 1 ? " is" : "s are");
}

/* A device that was reported as lost fails calls. */
static void check_lost(struct kit *kit)
{
	dprp_rc rc;

	if (!kit_host_lost(&kit->host) || kit->loses || !kit->queue)
		return;
	rc = NOTE_CALL(kit->plugin->queue->barrier(kit->queue, NULL, NULL),
		       "queue->barrier",
		       "after host->device_lost(), called by the plugin");
	if (rc)
		note_tell("the device is lost: %s", note_error_text());
	else
		note_bad("H3",
			 "a failure: the plugin has said that the device "
			 "is lost",
			 "OK");
}

void kit_close(struct kit *kit)
{
	const dprp_plugin *p = kit->plugin;

	check_lost(kit);
	if (kit->module) {
		note_step("module->destroy", "%s", "");
		p->module->destroy(kit->module);
	}
	if (kit->queue) {
		note_step("queue->destroy", "%s", "");
		p->queue->destroy(kit->queue);
	}
	if (kit->context) {
		note_step("context->destroy", "%s", "");
		p->context->destroy(kit->context);
	}
	kit->module = NULL;
	kit->queue = NULL;
	kit->context = NULL;
	if (!kit->instance)
		return;
	note_step("close", "reason=FINALIZE");
	p->close(kit->instance, DPRP_CLOSE_FINALIZE);
	kit->instance = NULL;
	check_left(kit);
}

bool kit_is_newer(const struct kit *kit)
{
	return kit->plugin->abi_minor > DPRP_ABI_MINOR;
}

void kit_probe(struct kit *kit, struct note_report *report)
{
	const char *why = kit_load(kit);
	dprp_rc rc;
	size_t need;

	if (why) {
		report->probe = KIT_PROBE_NO_PLUGIN;
		note_skip("%s", why);
	}
	snprintf(report->name, sizeof(report->name), "%s", kit->plugin->name);
	snprintf(report->version, sizeof(report->version), "%s",
		 kit->plugin->version);
	rc = kit_start(kit);
	report->probe = KIT_PROBE_NO_DEVICE;
	if (rc)
		note_skip("open() returned %s%s%s", note_rc_name(rc),
			  note_error_text()[0] ? ": " : "", note_error_text());
	if (!choose_device(kit))
		note_skip("the plugin has no device%s%s",
			  kit->selector ? " for the selector " : "",
			  kit->selector ? kit->selector : "");
	note_step("device->info", "key=DPR_INFO_NAME");
	if (kit->plugin->device->info(kit->device, DPR_INFO_NAME,
				      report->device,
				      sizeof(report->device) - 1, &need))
		snprintf(report->device, sizeof(report->device), "no name");
	report->probe = KIT_PROBE_READY;
	note_end();
}

static unsigned entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned n = 0;

	if (!dir)
		note_skip("%s cannot be read", path);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

unsigned kit_threads(void)
{
	return entries("/proc/self/task");
}

unsigned kit_files(void)
{
	return entries("/proc/self/fd");
}

unsigned kit_threads_end(unsigned most)
{
	int i;

	/* A thread that was joined stays in /proc for a moment. */
	for (i = 0; i < 2000 && kit_threads() > most; i++)
		kit_sleep_ms(1);
	return kit_threads();
}

void kit_sleep_ms(long ms)
{
	const struct timespec ts = { 0, ms * 1000000 };

	nanosleep(&ts, NULL);
}

uint64_t kit_u64(struct kit *kit, dprp_device *device, uint32_t key,
		 uint64_t otherwise)
{
	uint64_t value = 0;
	size_t need = 0;

	note_step("device->info", "key=%u", key);
	if (kit->plugin->device->info(device, key, &value, sizeof(value),
				      &need) ||
	    need != sizeof(value))
		return otherwise;
	return value;
}

dprp_queue *kit_queue(struct kit *kit, uint64_t flags, uint64_t *got)
{
	dprp_queue_desc desc = { .struct_size = sizeof(desc), .flags = flags };
	dprp_queue *queue = NOTE_POISON;
	uint64_t granted = UINT64_C(0xa5a5a5a5a5a5a5a5);

	note_need("Q1", NOTE_CALL(kit->plugin->queue->create(kit->context,
							     kit->device, &desc,
							     &granted, &queue),
				  "queue->create", "flags=%llu",
				  (unsigned long long)flags));
	note_handle(queue);
	if (granted & ~flags)
		note_bad("Q1", "a subset of the flags that were asked for",
			 "*got is %#llx", (unsigned long long)granted);
	if (got)
		*got = granted;
	return queue;
}
