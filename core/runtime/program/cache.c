/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c - which built programs are kept on disk, and the counts for
   dpr_cache_stats(). */
#include "core/runtime/program/cache.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <dpr/cache.h>
#include <dpr/version.h>

#include "core/base/env.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/settings.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/device/device.h"
#include "core/runtime/device/info.h"
#include "core/runtime/program/cache_dir.h"
#include "core/runtime/program/cache_trim.h"
#include "core/runtime/program/includes.h"

#define NOT_COUNTED UINT64_MAX

static atomic_uint_fast64_t counts[CACHE_COUNTS];

/* The size of all files when this process last counted it, plus the bytes added
   since.  Relaxed: a thread that reads an old value counts once more. */
static atomic_uint_fast64_t in_use = NOT_COUNTED;

void cache_add(enum cache_count what)
{
	atomic_fetch_add_explicit(&counts[what], 1, memory_order_relaxed);
}

/* --- The key ---------------------------------------------------------------
 */

/* When the plugin wants binaries to be kept: a value of enum dpr_binaries. */
static uint64_t when_to_keep(const dpr_device *device)
{
	uint64_t when;
	size_t need;

	if (!device->plugin->has_binary)
		return DPR_BINARIES_NEVER;
	if (info_ask(device->plugin, device->handle, DPR_INFO_BINARIES, &when,
		     sizeof(when), &need))
		return DPR_BINARIES_FIRST;
	return when;
}

/* The contents of included files are not in the key. */
static bool may_keep(const dpr_device *device, const dprp_image *image,
		     const char *options)
{
	const struct plugin *plugin = device->plugin;
	size_t name = strlen(plugin->name);

	if (!strncmp(image->format, "native-", 7) ||
	    (!strncmp(image->format, plugin->name, name) &&
	     !strcmp(image->format + name, "-binary")))
		return false;
	if (!strcmp(image->format, "spirv"))
		return true;
	return !includes_files(image->data, image->size) &&
	       !includes_by_options(options);
}

static void add_field(struct text *text, const char *name, const char *value)
{
	if (!value)
		value = "";
	text_print(text, "%s %zu:%s\n", name, strlen(value), value);
}

/* Write the first @n bytes of the hash of @data as hex digits. */
static void write_hash(char *digits, size_t n, const void *data, size_t size)
{
	unsigned char bytes[HASH_SIZE];
	struct hash hash;
	size_t i;

	hash_start(&hash);
	hash_add(&hash, data, size);
	hash_end(&hash, bytes);
	for (i = 0; i < n; i++)
		sprintf(digits + 2 * i, "%02x", bytes[i]);
}

static void add_hash(struct text *text, const char *name, const void *data,
		     size_t size)
{
	char digits[2 * HASH_SIZE + 1];

	write_hash(digits, HASH_SIZE, data, size);
	text_print(text, "%s %zu %s\n", name, size, digits);
}

/* Add what the binary depends on: the plugin, the driver, and the kind of
   device; or this very device if the plugin does not report the kind. */
static void add_device(struct text *text, const dpr_device *device)
{
	static const enum dpr_info keys[] = {
		DPR_INFO_VENDOR,           DPR_INFO_VERSION,
		DPR_INFO_DRIVER_VERSION,   DPR_INFO_PLATFORM_NAME,
		DPR_INFO_PLATFORM_VERSION,
	};
	const dprp_plugin *plugin = device->plugin->desc;
	const char *target =
		dpr_device_info_string(device, DPR_INFO_BINARY_TARGET);
	size_t i;

	add_field(text, "dpr", dpr_version());
	add_field(text, "plugin", plugin->name);
	add_field(text, "version", plugin->version);
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		add_field(text, "device",
			  dpr_device_info_string(device, keys[i]));
	if (target) {
		add_field(text, "binary target", target);
		return;
	}
	add_field(text, "name", dpr_device_info_string(device, DPR_INFO_NAME));
	if (device->root->has_uuid)
		add_hash(text, "uuid", device->root->uuid,
			 sizeof(device->root->uuid));
}

static void add_spec(struct text *text, const struct spec *spec)
{
	const unsigned char *value;
	uint32_t byte;
	size_t i;

	for (i = 0; i < spec->n; i++) {
		value = spec->list[i].value;
		text_print(text, "constant %" PRIu32 " ", spec->list[i].id);
		for (byte = 0; byte < spec->list[i].size; byte++)
			text_print(text, "%02x", value[byte]);
		text_print(text, "\n");
	}
}

bool cache_key_make(struct cache_key *key, dpr_device *device,
		    const dprp_image *image, const struct cache_build *build)
{
	struct text text = { 0 }, path = { 0 }, why = { 0 };
	uint64_t when = when_to_keep(device);
	bool wanted;

	memset(key, 0, sizeof(*key));
	wanted = when != DPR_BINARIES_NEVER &&
		 may_keep(device, image, build->options) &&
		 cache_dir_path(&path, &why);
	text_fini(&path);
	text_fini(&why);
	if (!wanted)
		return false;
	add_device(&text, device);
	add_field(&text, "format", image->format);
	add_field(&text, "target", image->target);
	add_field(&text, "options", build->options);
	text_print(&text, "flags %" PRIu64 "\n", build->flags);
	add_spec(&text, &build->spec);
	add_hash(&text, "image", image->data, image->size);
	key->second = when == DPR_BINARIES_SECOND;
	key->size = text.size;
	key->text = text_take(&text);
	if (!key->text)
		return false;
	write_hash(key->file, 16, key->text, key->size);
	memcpy(key->file + 32, ".bin", 5);
	return true;
}

void cache_key_fini(struct cache_key *key)
{
	mem_free(key->text);
	memset(key, 0, sizeof(*key));
}

void cache_entry_fini(struct cache_entry *entry)
{
	mem_free(entry->block);
	memset(entry, 0, sizeof(*entry));
}

/* --- Finding and keeping ---------------------------------------------------
 */

/* Open the directory of the cache.  Returns -1 if it cannot be used. */
static int open_dir(bool make)
{
	struct text path = { 0 }, why = { 0 };
	int dir = -1;

	if (cache_dir_path(&path, &why))
		dir = cache_dir_open(text_get(&path), make, &why);
	/* A missing directory is not worth a message. */
	if (dir < 0 && (make || errno != ENOENT))
		log_post(DPR_LOG_DEBUG, "cache: not used: %s", text_get(&why));
	text_fini(&path);
	text_fini(&why);
	return dir;
}

bool cache_find(const struct cache_key *key, struct cache_entry *entry)
{
	enum cache_state state = CACHE_ABSENT;
	int dir = open_dir(false);

	memset(entry, 0, sizeof(*entry));
	if (dir >= 0)
		state = cache_file_read(dir, key, entry);
	if (state == CACHE_BAD) {
		cache_add(CACHE_REJECTED);
		log_post(DPR_LOG_DEBUG,
			 "cache: %s is damaged and will be removed", key->file);
		(void)unlinkat(dir, key->file, 0);
	}
	if (dir >= 0)
		close(dir);
	if (state != CACHE_FOUND || !entry->size)
		cache_add(CACHE_MISSES);
	return state == CACHE_FOUND;
}

static void count_files(int dir, uint64_t added)
{
	uint64_t limit = settings_cache_limit();
	uint64_t bytes = atomic_load_explicit(&in_use, memory_order_relaxed);

	if (bytes == NOT_COUNTED || bytes > limit || added > limit - bytes)
		bytes = cache_trim(dir, limit);
	else
		bytes += added;
	atomic_store_explicit(&in_use, bytes, memory_order_relaxed);
}

void cache_put(const struct cache_key *key, const char *log, const void *binary,
	       size_t size)
{
	uint64_t written;
	int dir;

	/* A file that takes most of the room would displace all others. */
	if (size > settings_cache_limit() / 4 * 3)
		return;
	dir = open_dir(true);
	if (dir < 0)
		return;
	written = cache_file_write(dir, key, log, binary, size);
	if (!written)
		log_post(DPR_LOG_DEBUG, "cache: %s is not kept: %s", key->file,
			 strerrordesc_np(errno));
	else if (size)
		cache_add(CACHE_STORES);
	if (written)
		count_files(dir, cache_file_cost(written));
	close(dir);
}

void cache_reject(const struct cache_key *key)
{
	int dir = open_dir(false);

	cache_add(CACHE_REJECTED);
	log_post(DPR_LOG_DEBUG,
		 "cache: the driver refuses %s, which will be removed",
		 key->file);
	if (dir < 0)
		return;
	(void)unlinkat(dir, key->file, 0);
	close(dir);
}

/* --- For users -------------------------------------------------------------
 */

static dpr_status cache_start(void)
{
	dpr_status status = env_start();

	return status ? status : settings_cache_read();
}

static dpr_cache_report *make_report(const char *path, const char *problem)
{
	static const size_t strings[] = {
		offsetof(dpr_cache_report, directory),
		offsetof(dpr_cache_report, problem),
	};
	dpr_cache_report report = {
		.directory = path,
		.problem = problem,
		.limit = settings_cache_limit(),
		.hits = atomic_load(&counts[CACHE_HITS]),
		.misses = atomic_load(&counts[CACHE_MISSES]),
		.stores = atomic_load(&counts[CACHE_STORES]),
		.rejected = atomic_load(&counts[CACHE_REJECTED]),
		.builds = atomic_load(&counts[CACHE_BUILDS]),
	};

	return text_pack(&report, 1, sizeof(report), strings, 2);
}

dpr_status dpr_cache_stats(dpr_cache_report **out)
{
	TRACE_CALL;
	struct text path = { 0 }, why = { 0 };
	dpr_status status;
	int dir = -1;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "cache stats: out is NULL");
	*out = NULL;
	status = cache_start();
	if (status)
		return status;
	if (cache_dir_path(&path, &why)) {
		dir = cache_dir_open(text_get(&path), false, &why);
		/* A missing directory is not a problem: it is made when
		   needed. */
		if (dir < 0 && errno == ENOENT)
			text_fini(&why);
	}
	if (!path.failed && !why.failed)
		*out = make_report(text_get(&path), text_get(&why));
	if (*out && dir >= 0)
		cache_trim_count(dir, &(*out)->bytes, &(*out)->files);
	if (dir >= 0)
		close(dir);
	text_fini(&path);
	text_fini(&why);
	return *out ? DPR_OK : fail_memory("cache stats");
}

dpr_status dpr_cache_clear(uint64_t *removed)
{
	TRACE_CALL;
	dpr_status status;
	uint64_t gone = 0;
	int dir;

	if (removed)
		*removed = 0;
	status = cache_start();
	if (status)
		return status;
	dir = open_dir(false);
	if (dir >= 0) {
		gone = cache_trim_all(dir);
		close(dir);
	}
	atomic_store_explicit(&in_use, NOT_COUNTED, memory_order_relaxed);
	if (removed)
		*removed = gone;
	return DPR_OK;
}
