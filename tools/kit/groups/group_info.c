/* SPDX-License-Identifier: Apache-2.0 */
/* group_info.c - what devices answer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/layer/rules/form.h"
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
	form = form_bad(key->key, buffer, need);
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

/* What is true of a root device alone; form_bad() knows the other values. */
static void values(struct kit *kit)
{
	uint64_t value = kit_u64(kit, kit->device, DPR_INFO_PARTITION_TYPE, 0);

	note_step("device->info", "key=DPR_INFO_PARTITION_TYPE");
	if (value)
		note_bad("V6", "0 for a root device", "%llu", ULL(value));
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
