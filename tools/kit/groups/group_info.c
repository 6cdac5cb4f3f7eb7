/* SPDX-License-Identifier: Apache-2.0 */
/* group_info.c - what devices answer. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/kit/groups/groups.h"

enum { MOST_BYTES = 1 << 16, SLACK = 64 };

static const struct key {
	uint32_t key, type;
	const char *name;
} keys[] = {
#define DPR__X(name, number, type, unit, text) \
	{ number, DPR_INFO_TYPE_##type, #name },
	DPR_INFO_MAP(DPR__X)
#undef DPR__X
};

/* Whether a plugin may be asked for this key. */
static bool is_asked(const struct key *key)
{
	return key->key < 900 && (key->key < DPR_INFO_ASPECT_CPU ||
				  key->key > DPR_INFO_ASPECT_CUSTOM);
}

static dprp_rc ask(struct kit *kit, dprp_device *device, const struct key *key,
		   void *buffer, size_t capacity, size_t *need)
{
	return NOTE_CALL(kit->plugin->device->info(device, key->key, buffer,
						   capacity, need),
			 "device->info", "key=DPR_INFO_%s, %s, capacity=%zu",
			 key->name, buffer ? "buffer" : "buffer=NULL",
			 capacity);
}

/* Whether bytes are UTF-8, roughly: no stray lead or continuation byte. */
static bool is_utf8(const unsigned char *s, size_t n)
{
	size_t i, more = 0;

	for (i = 0; i < n; i++) {
		if (more && (s[i] & 0xc0) != 0x80)
			return false;
		if (more)
			more--;
		else if (s[i] >= 0xf8 || (s[i] >= 0x80 && s[i] < 0xc2))
			return false;
		else if (s[i] >= 0xc2)
			more = s[i] >= 0xf0 ? 3 : s[i] >= 0xe0 ? 2 : 1;
	}
	return !more;
}

/* Return what is wrong with the form of a value; NULL: nothing. */
static const char *bad_form(uint32_t type, const unsigned char *bytes, size_t n)
{
	uint64_t number = 0;

	memcpy(&number, bytes, n < 8 ? n : 8);
	switch (type) {
	case DPR_INFO_TYPE_STRING:
		if (!n || bytes[n - 1] || strlen((const char *)bytes) != n - 1)
			return "a string whose one zero byte is its last";
		return is_utf8(bytes, n) ? NULL : "a string in UTF-8";
	case DPR_INFO_TYPE_STRINGS:
		if (n && bytes[n - 1])
			return "strings, each with its zero byte";
		return is_utf8(bytes, n) ? NULL : "strings in UTF-8";
	case DPR_INFO_TYPE_UUID: return n == 16 ? NULL : "16 bytes";
	case DPR_INFO_TYPE_LIST: return n % 8 ? "a multiple of 8 bytes" : NULL;
	case DPR_INFO_TYPE_BOOL:
		return n == 8 && number <= 1 ? NULL : "8 bytes, 0 or 1";
	default: return n == 8 ? NULL : "8 bytes";
	}
}

/* Whether values of a type have this size. */
static bool has_size(uint32_t type, size_t n)
{
	switch (type) {
	case DPR_INFO_TYPE_STRING:
	case DPR_INFO_TYPE_STRINGS:
	case DPR_INFO_TYPE_LIST: return true;
	case DPR_INFO_TYPE_UUID: return n == 16;
	default: return n == 8;
	}
}

static bool untouched(const unsigned char *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n && bytes[i] == 0xa5; i++)
		;
	return i == n;
}

static void check_small(struct kit *kit, dprp_device *device,
			const struct key *key, unsigned char *buffer,
			size_t size)
{
	size_t need = 0;

	if (!size)
		return;
	memset(buffer, 0xa5, size + SLACK);
	note_want("V4", ask(kit, device, key, buffer, size - 1, &need),
		  DPR_RC_INVALID);
	if (!untouched(buffer, size + SLACK))
		note_bad("V4", "the buffer unchanged",
			 "bytes written to a buffer that is too small");
}

/* Check the answer for one key. */
static void check_key(struct kit *kit, dprp_device *device,
		      const struct key *key, unsigned char *buffer)
{
	size_t need = SIZE_MAX, got = SIZE_MAX;
	const char *form;
	dprp_rc rc = ask(kit, device, key, NULL, 0, &need);

	if (rc == DPR_RC_UNSUPPORTED)
		return;
	if (rc || need > MOST_BYTES) {
		note_bad("V3", "OK with a size in *need, or UNSUPPORTED",
			 "%s, *need %zu", note_rc_name(rc), need);
		return;
	}
	check_small(kit, device, key, buffer, need);
	memset(buffer, 0xa5, need + SLACK);
	if (!note_want("V3", ask(kit, device, key, buffer, need, &got),
		       DPR_RC_OK))
		return;
	if (got != need)
		note_bad("V3", "the size that buffer NULL got",
			 "*need is %zu, not %zu", got, need);
	if (!untouched(buffer + need, SLACK))
		note_bad("V3", "*need bytes written", "bytes behind them, too");
	form = bad_form(key->type, buffer, need);
	if (form)
		note_bad("V6", form, "%zu byte%s%s", need, need == 1 ? "" : "s",
			 has_size(key->type, need) ? " of another value" : "");
}

/* Check all keys of all root devices. */
static void form(struct kit *kit)
{
	unsigned char *buffer = malloc(MOST_BYTES + SLACK);
	dprp_device *device;
	uint32_t i;
	size_t k;

	if (!buffer)
		note_skip("out of memory");
	for (i = 0; i < kit->n_devices; i++) {
		if (kit->plugin->device->get(kit->instance, i, &device))
			continue;
		for (k = 0; k < KIT_COUNT(keys); k++)
			if (is_asked(&keys[k]))
				check_key(kit, device, &keys[k], buffer);
	}
	free(buffer);
}

static void unknown(struct kit *kit)
{
	static const uint32_t strange[] = { 0, 899, 0x7ffffff0, UINT32_MAX };
	size_t i, need;

	for (i = 0; i < KIT_COUNT(strange); i++)
		note_want("V5",
			  NOTE_CALL(kit->plugin->device->info(kit->device,
							      strange[i], NULL,
							      0, &need),
				    "device->info", "key=%u, buffer=NULL",
				    strange[i]),
			  DPR_RC_UNSUPPORTED);
}

/* --- Values -----------------------------------------------------------------
 */

static void check_value(struct kit *kit, uint32_t key, const char *name,
			uint64_t least, uint64_t most, const char *expected)
{
	uint64_t value = kit_u64(kit, kit->device, key, least);

	note_step("device->info", "key=DPR_INFO_%s", name);
	if (value < least || value > most)
		note_bad("V6", expected, "%llu", ULL(value));
}

static void check_power(struct kit *kit, uint32_t key, const char *name)
{
	uint64_t value = kit_u64(kit, kit->device, key, 1);

	note_step("device->info", "key=DPR_INFO_%s", name);
	if (!value || value & (value - 1))
		note_bad("V6", "a power of two", "%llu", ULL(value));
}

/* Lists of which info.h says how many numbers they have. */
static void check_length(struct kit *kit, uint32_t key, const char *name,
			 size_t numbers)
{
	size_t need = 0;

	if (NOTE_CALL(
		    kit->plugin->device->info(kit->device, key, NULL, 0, &need),
		    "device->info", "key=DPR_INFO_%s, buffer=NULL", name))
		return;
	if (need != numbers * 8)
		note_bad("V6", "a number for each place",
			 "%zu numbers, not %zu", need / 8, numbers);
}

static void check_pci(struct kit *kit)
{
	unsigned domain, bus, device, function;
	char text[64] = "", rest;
	size_t need;

	if (NOTE_CALL(kit->plugin->device->info(kit->device,
						DPR_INFO_PCI_ADDRESS, text,
						sizeof(text), &need),
		      "device->info", "key=DPR_INFO_PCI_ADDRESS"))
		return;
	if (sscanf(text, "%x:%x:%x.%x%c", &domain, &bus, &device, &function,
		   &rest) != 4)
		note_bad("V6", "domain:bus:device.function in hex", "\"%s\"",
			 text);
}

static void values(struct kit *kit)
{
#define VALUE(name, least, most, expected) \
	check_value(kit, DPR_INFO_##name, #name, least, most, expected)
	VALUE(TYPE, DPR_DEVICE_CPU, DPR_DEVICE_CUSTOM, "enum dpr_device_type");
	VALUE(BINARIES, DPR_BINARIES_NEVER, DPR_BINARIES_SECOND,
	      "enum dpr_binaries");
	VALUE(PARTITION_TYPE, 0, 0, "0 for a root device");
	VALUE(MAX_WORK_ITEM_DIMS, 3, UINT64_MAX, "at least 3");
	VALUE(MAX_WORK_GROUP_SIZE, 1, UINT64_MAX, "at least 1");
	VALUE(MAX_ALLOC_SIZE, 1, UINT64_MAX, "at least 1");
	VALUE(COMPUTE_UNITS, 1, UINT64_MAX, "at least 1");
	VALUE(COPY_THREADS, 1, UINT64_MAX, "at least 1");
	VALUE(PARTITION_UNIT, 1, UINT64_MAX, "at least 1");
	VALUE(LOCAL_MEM_TYPE, 0, 2, "0, 1 or 2");
	VALUE(GLOBAL_CACHE_TYPE, 0, 2, "0, 1 or 2");
#undef VALUE
	check_power(kit, DPR_INFO_MEM_BASE_ALIGN, "MEM_BASE_ALIGN");
	check_power(kit, DPR_INFO_SUB_BUFFER_ALIGN, "SUB_BUFFER_ALIGN");
	check_length(kit, DPR_INFO_MAX_WORK_GROUPS, "MAX_WORK_GROUPS", 3);
	check_length(kit, DPR_INFO_DLPACK_DEVICE, "DLPACK_DEVICE", 6);
	check_pci(kit);
}

/* What the answers make possible; nothing here is a finding. */
static void assumed(struct kit *kit)
{
	static const struct {
		uint32_t key;
		const char *text;
	} wanted[] = {
		{ DPR_INFO_NAME, "NAME: the backend's name is shown" },
		{ DPR_INFO_TYPE, "TYPE: the device counts as CUSTOM, which "
				 "no selector prefers" },
		{ DPR_INFO_FORMATS,
		  "FORMATS: array functions do not use the device" },
		{ DPR_INFO_ASPECT_ADDRESSES,
		  "ASPECT_ADDRESSES: memory is not divided, and a pool of the "
		  "program cannot place blocks in it" },
		{ DPR_INFO_ASPECT_USM_HOST,
		  "ASPECT_USM_HOST: there is no HOST memory, and copies to "
		  "and from other backends take the program's own" },
		{ DPR_INFO_UUID,
		  "UUID: twins of other backends are not recognised" },
	};
	size_t i, need;

	for (i = 0; i < KIT_COUNT(wanted); i++)
		if (NOTE_CALL(kit->plugin->device->info(kit->device,
							wanted[i].key, NULL, 0,
							&need),
			      "device->info", "key=%u, buffer=NULL",
			      wanted[i].key))
			note_tell("no answer for %s", wanted[i].text);
}

/* --- Threads ----------------------------------------------------------------
 */

static void *ask_all(void *arg)
{
	unsigned char *buffer = malloc(MOST_BYTES + SLACK);
	struct kit *kit = arg;
	size_t k, i;

	for (i = 0; buffer && i < 20; i++)
		for (k = 0; k < KIT_COUNT(keys); k++)
			if (is_asked(&keys[k]))
				check_key(kit, kit->device, &keys[k], buffer);
	free(buffer);
	return NULL;
}

static void threads(struct kit *kit)
{
	pthread_t threads[4];
	size_t i, made = 0;

	for (i = 0; i < KIT_COUNT(threads); i++)
		made += !pthread_create(&threads[made], NULL, ask_all, kit);
	for (i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
}

static const struct kit_check checks[] = {
	{ "form", form, 0 },       { "unknown", unknown, 0 },
	{ "values", values, 0 },   { "assumed", assumed, 0 },
	{ "threads", threads, 0 },
};

const struct kit_group group_info = { "info", "what devices answer", checks,
				      KIT_COUNT(checks) };
