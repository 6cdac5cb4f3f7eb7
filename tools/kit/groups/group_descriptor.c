/* SPDX-License-Identifier: Apache-2.0 */
/* group_descriptor.c - the descriptor, its tables, and loading the file. */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tools/kit/groups/groups.h"

#define LONGEST_TABLE 65536
#define LONGEST_TEXT 4096

static void check_number(const char *rule, const char *what, uint64_t is,
			 uint64_t least, uint64_t most, const char *may)
{
	note_step("dprp_plugin", "member %s", what);
	if (is < least || is > most)
		note_bad(rule, may, "%llu", ULL(is));
}

/* Check a string, which may be NULL only if it is @optional. */
static bool check_text(const char *what, const char *text, bool optional)
{
	note_step("dprp_plugin", "member %s", what);
	if (!text && !optional)
		note_bad("D2", "a string", "NULL");
	if (!text)
		return false;
	if (strnlen(text, LONGEST_TEXT) < LONGEST_TEXT)
		return true;
	note_bad("D2", "a string that ends within 4096 bytes", "a longer one");
	return false;
}

static void check_advice(const char *what, const char *text)
{
	size_t n;

	if (!check_text(what, text, true))
		return;
	n = strlen(text);
	if (!n || text[n - 1] == '.')
		note_bad("D4", "a text without a full stop, or NULL", "\"%s\"",
			 text);
}

/* Whether the name has the form [a-z][a-z0-9_]{1,31}. */
static bool is_name(const char *name)
{
	size_t n = strlen(name);

	return n >= 2 && n <= 32 && name[0] >= 'a' && name[0] <= 'z' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == n;
}

static void check_name(const struct kit *kit)
{
	const char *base = strrchr(kit->file, '/'), *name = kit->plugin->name;
	char file[64];

	if (!check_text("name", name, false))
		return;
	if (!is_name(name)) {
		note_bad("D3", "[a-z][a-z0-9_]{1,31}", "\"%.60s\"", name);
		return;
	}
	base = base ? base + 1 : kit->file;
	snprintf(file, sizeof(file), "libdpr-%s.so", name);
	if (strcmp(base, file) != 0)
		note_bad("D3", "the name in that of the file",
			 "\"%s\" in the file %.100s", name, base);
}

static void fields(struct kit *kit)
{
	const dprp_plugin *p = kit->plugin;

	check_number("D1", "struct_size", p->struct_size,
		     DPRP_SIZE_TO(dprp_plugin, advice_no_device), LONGEST_TABLE,
		     "at least its size in version 1.0, and at most 65536");
	check_number("D1", "abi_minor", p->abi_minor, 0, 999,
		     "DPRP_ABI_MINOR of the header");
	check_number("D1", "min_host_minor", p->min_host_minor, 0, p->abi_minor,
		     "at most abi_minor");
	check_number("D1", "flags", p->flags, 0, 0, "0");
	check_number("D1", "rank", p->rank, DPRP_RANK_NATIVE, DPRP_RANK_HOST,
		     "DPRP_RANK_NATIVE, _PORTABLE or _HOST");
	check_number("D1", "reserved", p->reserved, 0, 0, "0");
	check_name(kit);
	check_text("version", p->version, false);
	check_text("description", p->description, false);
	check_text("license", p->license, false);
	check_advice("advice_no_driver", p->advice_no_driver);
	check_advice("advice_no_device", p->advice_no_device);
}

/* --- Tables -----------------------------------------------------------------
 */

#define REQUIRED(X)                           \
	X(device, dprp_device_ops, count)     \
	X(device, dprp_device_ops, get)       \
	X(device, dprp_device_ops, info)      \
	X(context, dprp_context_ops, create)  \
	X(context, dprp_context_ops, destroy) \
	X(queue, dprp_queue_ops, create)      \
	X(queue, dprp_queue_ops, destroy)     \
	X(queue, dprp_queue_ops, flush)       \
	X(queue, dprp_queue_ops, finish)      \
	X(queue, dprp_queue_ops, barrier)     \
	X(queue, dprp_queue_ops, write)       \
	X(queue, dprp_queue_ops, read)        \
	X(queue, dprp_queue_ops, copy)        \
	X(event, dprp_event_ops, status)      \
	X(event, dprp_event_ops, wait)        \
	X(event, dprp_event_ops, destroy)     \
	X(mem, dprp_mem_ops, alloc)           \
	X(mem, dprp_mem_ops, free)            \
	X(mem, dprp_mem_ops, info)
#define REQUIRED_OF_MODULES(X)                     \
	X(queue, dprp_queue_ops, launch)           \
	X(module, dprp_module_ops, pick)           \
	X(module, dprp_module_ops, create)         \
	X(module, dprp_module_ops, destroy)        \
	X(module, dprp_module_ops, kernel)         \
	X(module, dprp_module_ops, kernel_destroy) \
	X(module, dprp_module_ops, kernel_info)

static void missing(const char *table, const char *entry)
{
	note_step("dprp_plugin", "%s->%s", table, entry);
	note_bad("G6", "an entry that is required",
		 "the entry is NULL, or lies beyond the table's struct_size");
}

static void check_required(const dprp_plugin *p)
{
#define CHECK_ENTRY(table, type, entry)       \
	if (!DPRP_HAS(p->table, type, entry)) \
		missing(#table, #entry);
	if (!DPRP_HAS(p, dprp_plugin, open))
		missing("plugin", "open");
	if (!DPRP_HAS(p, dprp_plugin, close))
		missing("plugin", "close");
	REQUIRED(CHECK_ENTRY)
}

static void check_modules(const dprp_plugin *p)
{
	REQUIRED_OF_MODULES(CHECK_ENTRY)
#undef CHECK_ENTRY
}

/* The size of a table; 0: there is none. */
static size_t size_of(const void *table)
{
	return table ? *(const size_t *)table : 0;
}

static void check_size(const char *name, const void *table, size_t least)
{
	size_t size = size_of(table);

	if (!table)
		return;
	note_step("dprp_plugin", "%s->struct_size", name);
	if (size < least || size > LONGEST_TABLE)
		note_bad("G5",
			 "at least the size in version 1.0, and at most "
			 "65536",
			 "%zu, not %zu or more", size, least);
}

static void tables(struct kit *kit)
{
	const dprp_plugin *p = kit->plugin;

	check_size("device", p->device, sizeof(*p->device));
	check_size("context", p->context, sizeof(*p->context));
	check_size("queue", p->queue, sizeof(*p->queue));
	check_size("event", p->event, sizeof(*p->event));
	check_size("mem", p->mem, sizeof(*p->mem));
	check_size("module", p->module, sizeof(*p->module));
	check_required(p);
	if (p->module)
		check_modules(p);
	else
		note_tell("there is no module table: the plugin can only copy");
}

/* --- Where it lies ----------------------------------------------------------
 */

/* A search for the segment of the file of which an address is part. */
struct place {
	uintptr_t base, at;
	size_t size;
	bool code, found;
};

static int find_segment(struct dl_phdr_info *info, size_t size, void *user)
{
	struct place *place = user;
	int i;

	(void)size;
	for (i = 0; info->dlpi_addr == place->base && i < info->dlpi_phnum;
	     i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + h->p_vaddr;

		if (h->p_type == PT_LOAD && place->at >= start &&
		    place->at - start + place->size <= h->p_memsz &&
		    (!place->code || h->p_flags & PF_X))
			place->found = true;
	}
	return 0;
}

static bool is_inside(uintptr_t base, const void *at, size_t size, bool code)
{
	struct place place = { base, (uintptr_t)at, size, code, false };

	dl_iterate_phdr(find_segment, &place);
	return place.found;
}

static void check_inside(uintptr_t base, const char *what, const void *at,
			 size_t size)
{
	note_step("dprp_plugin", "%s", what);
	if (at && !is_inside(base, at, size, false))
		note_bad("D5", "an address inside the file",
			 "%p with %zu bytes, which is outside of it", at, size);
}

/* Check that the entries of a table, which is inside the file, are code. */
static void check_entries(uintptr_t base, const char *what, const void *table)
{
	void *const *entry = (void *const *)table + 1;
	size_t i, n = size_of(table) / sizeof(void *);

	for (i = 1; table && i < n; i++, entry++) {
		note_step("dprp_plugin", "entry %zu of %s", i, what);
		if (*entry && !is_inside(base, *entry, 1, true))
			note_bad("D5", "code of the file", "%p", *entry);
	}
}

static void inside(struct kit *kit)
{
	const dprp_plugin *p = kit->plugin;
	const struct {
		const char *name;
		const void *table;
	} all[] = { { "device", p->device }, { "context", p->context },
		    { "queue", p->queue },   { "event", p->event },
		    { "mem", p->mem },       { "module", p->module } };
	struct link_map *map = NULL;
	void *library = dlopen(kit->file, RTLD_NOW | RTLD_LOCAL);
	uintptr_t base;
	size_t i;

	if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map))
		note_skip("the loader does not say where the file is");
	base = map->l_addr;
	check_inside(base, "the descriptor", p, p->struct_size);
	check_inside(base, "name", p->name, 1);
	check_inside(base, "version", p->version, 1);
	check_inside(base, "description", p->description, 1);
	check_inside(base, "license", p->license, 1);
	check_inside(base, "advice_no_driver", p->advice_no_driver, 1);
	check_inside(base, "advice_no_device", p->advice_no_device, 1);
	for (i = 0; i < KIT_COUNT(all); i++) {
		check_inside(base, all[i].name, all[i].table,
			     all[i].table ? size_of(all[i].table) : 1);
		if (!note_found())
			check_entries(base, all[i].name, all[i].table);
	}
}

/* --- The entry symbol -------------------------------------------------------
 */

static void *call_entry(void *entry)
{
	return (void *)(uintptr_t)((dprp_entry_fn)entry)(DPRP_ABI_MINOR);
}

static void symbol(struct kit *kit)
{
	void *library = dlopen(kit->file, RTLD_NOW | RTLD_LOCAL), *got;
	pthread_t threads[8];
	dprp_entry_fn entry;
	size_t i, made = 0;

	*(void **)&entry = dlsym(library, DPRP_ENTRY_SYMBOL);
	note_step(DPRP_ENTRY_SYMBOL, "host_minor=%d, from eight threads",
		  DPRP_ABI_MINOR);
	for (i = 0; i < 8; i++)
		made += !pthread_create(&threads[made], NULL, call_entry,
					*(void **)&entry);
	for (i = 0; i < made; i++) {
		pthread_join(threads[i], &got);
		if (got != (const void *)kit->plugin)
			note_bad("D6", "the same descriptor each time",
				 "another descriptor, or NULL");
	}
	note_step(DPRP_ENTRY_SYMBOL, "host_minor=%d", DPRP_ABI_MINOR + 1);
	if (!entry(DPRP_ABI_MINOR + 1))
		note_bad("D6",
			 "a descriptor: a newer core works with the "
			 "plugin",
			 "NULL");
}

static void loading(struct kit *kit)
{
	unsigned threads = kit_threads_end(kit->threads_before);
	unsigned files = kit_files();

	note_step(DPRP_ENTRY_SYMBOL, "%s", "and loading the file");
	if (threads > kit->threads_before)
		note_bad("D6", "no thread", "%u threads more",
			 threads - kit->threads_before);
	if (files > kit->files_before)
		note_bad("D6", "no open file", "%u files more",
			 files - kit->files_before);
}

static const struct kit_check checks[] = {
	{ "fields", fields, KIT_CLOSED | KIT_NO_DEVICE },
	{ "tables", tables, KIT_CLOSED | KIT_NO_DEVICE },
	{ "inside", inside, KIT_CLOSED | KIT_NO_DEVICE },
	{ "symbol", symbol, KIT_CLOSED | KIT_NO_DEVICE },
	{ "loading", loading, KIT_CLOSED | KIT_NO_DEVICE },
};

const struct kit_group group_descriptor = {
	"descriptor", "the descriptor, its tables, and loading the file",
	checks, KIT_COUNT(checks)
};
