/* SPDX-License-Identifier: Apache-2.0 */
/* info.c - properties of devices. */
#include "core/runtime/device/info.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/device/device.h"

/* The most bytes of a value; a plugin that reports more is wrong. */
#define MAX_VALUE (1u << 20)
#define FIRST_OF_CORE 900
#define MAX_ASPECTS 64

struct info_key {
	const char *name;
	uint32_t number;
	enum dpr_info_type type;
};

static const struct info_key keys[] = {
#define DPR__X(name, number, type, unit, text) \
	{ #name, number, DPR_INFO_TYPE_##type },
	DPR_INFO_MAP(DPR__X)
#undef DPR__X
};
#define N_KEYS (sizeof(keys) / sizeof(*keys))

static const char aspect_prefix[] = "ASPECT_";

static const struct info_key *find_key(uint32_t number)
{
	size_t i;

	for (i = 0; i < N_KEYS; i++) {
		if (keys[i].number == number)
			return &keys[i];
	}
	return NULL;
}

const char *info_key_name(uint32_t number)
{
	const struct info_key *key = find_key(number);

	return key ? key->name : NULL;
}

/* --- Answers of plugins ------------------------------------------------------
 */

/* Whether a value of @type can have @size bytes. */
static bool has_size(enum dpr_info_type type, size_t size)
{
	switch (type) {
	case DPR_INFO_TYPE_U64:
	case DPR_INFO_TYPE_BOOL:
	case DPR_INFO_TYPE_FLAGS: return size == sizeof(uint64_t);
	case DPR_INFO_TYPE_LIST: return size % sizeof(uint64_t) == 0;
	case DPR_INFO_TYPE_UUID: return size == 16;
	case DPR_INFO_TYPE_STRING: return size != 0;
	case DPR_INFO_TYPE_STRINGS: break;
	}
	return true;
}

/* Whether the @size bytes at @value are a value of @type. */
static bool has_form(enum dpr_info_type type, const unsigned char *value,
		     size_t size)
{
	if (!has_size(type, size))
		return false;
	if (type == DPR_INFO_TYPE_STRING)
		return memchr(value, '\0', size) == value + size - 1;
	return type != DPR_INFO_TYPE_STRINGS || !size || !value[size - 1];
}

dprp_rc info_ask(const struct plugin *plugin, dprp_device *device, uint32_t key,
		 void *value, size_t capacity, size_t *need)
{
	const struct info_key *known = find_key(key);
	dprp_rc rc;

	*need = 0;
	rc = plugin->device.info(device, key, value, capacity, need);
	rc = plugin_checked(plugin, "device->info", rc);
	/* The buffer was too small because the value has the wrong size. */
	if (rc == DPR_RC_INVALID && *need && !has_size(known->type, *need))
		return DPR_RC_ABI;
	if (rc)
		return rc;
	if (*need > MAX_VALUE || (value && *need > capacity))
		return DPR_RC_ABI;
	if (value ? !has_form(known->type, value, *need)
		  : !has_size(known->type, *need))
		return DPR_RC_ABI;
	return DPR_RC_OK;
}

/* --- Aspects ---------------------------------------------------------------
 */

/* The name of an aspect without its prefix; NULL: @key is not an aspect. */
static const char *aspect_word(const struct info_key *key)
{
	size_t n = strlen(aspect_prefix);

	return strncmp(key->name, aspect_prefix, n) ? NULL : key->name + n;
}

enum dpr_info info_aspect(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < N_KEYS; i++) {
		const char *word = aspect_word(&keys[i]);

		if (word && strlen(word) == length &&
		    !strncasecmp(word, name, length))
			return (enum dpr_info)keys[i].number;
	}
	return (enum dpr_info)0;
}

/* The names of the aspects in lower case, which X-macros cannot make. */
static char aspect_names[MAX_ASPECTS][32];
static pthread_once_t names_once = PTHREAD_ONCE_INIT;

static void make_names(void)
{
	size_t i, j, n = 0;

	for (i = 0; i < N_KEYS && n < MAX_ASPECTS - 1; i++) {
		const char *word = aspect_word(&keys[i]);

		if (!word)
			continue;
		for (j = 0; word[j] && j < sizeof(*aspect_names) - 1; j++)
			aspect_names[n][j] =
				(char)tolower((unsigned char)word[j]);
		n++;
	}
}

const char *info_aspect_name(size_t i)
{
	pthread_once(&names_once, make_names);
	return i < MAX_ASPECTS && *aspect_names[i] ? aspect_names[i] : NULL;
}

bool info_has_aspect(const dpr_device *device, enum dpr_info key)
{
	uint64_t value = 0;
	size_t need;

	switch ((int)key) {
	case DPR_INFO_ASPECT_CPU: return device->type == DPR_DEVICE_CPU;
	case DPR_INFO_ASPECT_GPU: return device->type == DPR_DEVICE_GPU;
	case DPR_INFO_ASPECT_ACCELERATOR:
		return device->type == DPR_DEVICE_ACCELERATOR;
	case DPR_INFO_ASPECT_CUSTOM: return device->type == DPR_DEVICE_CUSTOM;
	/* Read before each operation on float64, also in a child after fork(),
	   where it must not change to false. */
	case DPR_INFO_ASPECT_FP64: return device->has_fp64;
	}
	if (!process_alive())
		return false;
	if (info_ask(device->plugin, device->handle, (uint32_t)key, &value,
		     sizeof(value), &need))
		return false;
	return value != 0;
}

int dpr_device_has(const dpr_device *device, const char *aspect)
{
	HANDLES_GET(device);
	enum dpr_info key;

	if (!device || !aspect)
		return 0;
	key = info_aspect(aspect, strlen(aspect));
	return key && info_has_aspect(device, key);
}

/* --- Values ----------------------------------------------------------------
 */

/* Copy a value by the rules of dpr_device_info(). */
static dpr_status copy_value(const char *name, const void *from, size_t size,
			     void *value, size_t capacity, size_t *need)
{
	if (need)
		*need = size;
	if (!value && !capacity)
		return DPR_OK;
	if (!value || capacity < size)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"device info %s: the value takes %zu bytes, but there "
			"is room for only %zu",
			name, size, value ? capacity : (size_t)0);
	memcpy(value, from, size);
	return DPR_OK;
}

static dpr_status fail_unavailable(const dpr_device *device, const char *name)
{
	return fail(DPR_ERROR_UNSUPPORTED,
		    "device info %s of %s: not available, because the driver "
		    "does not report it",
		    name, device->selector);
}

/* Get a string that the core knows by itself; NULL: it has no value.
   Sets *@known to whether @key is such a key. */
static const char *core_string(const dpr_device *device, uint32_t key,
			       bool *known)
{
	const dpr_device *twin;

	*known = true;
	switch (key) {
	case DPR_INFO_BACKEND: return device->plugin->name;
	case DPR_INFO_SELECTOR: return device->selector;
	case DPR_INFO_BACKEND_VERSION: return device->plugin->desc->version;
	case DPR_INFO_TWIN:
		twin = atomic_load_explicit(&device->twin,
					    memory_order_acquire);
		return twin ? twin->selector : NULL;
	}
	*known = false;
	return NULL;
}

/* If the core knows @key better than a plugin does, answer it, set *@status and
   return true. */
static bool answer_by_core(const dpr_device *device, const struct info_key *key,
			   void *value, size_t capacity, size_t *need,
			   dpr_status *status)
{
	uint64_t number = (uint64_t)device->type;
	const char *string;
	bool known;

	string = core_string(device, key->number, &known);
	if (known) {
		*status = string ? copy_value(key->name, string,
					      strlen(string) + 1, value,
					      capacity, need)
				 : fail_unavailable(device, key->name);
		return true;
	}
	switch (key->number) {
	case DPR_INFO_TYPE: break;
	case DPR_INFO_ASPECT_CPU:
	case DPR_INFO_ASPECT_GPU:
	case DPR_INFO_ASPECT_ACCELERATOR:
	case DPR_INFO_ASPECT_CUSTOM:
		number = info_has_aspect(device, (enum dpr_info)key->number);
		break;
	case DPR_INFO_AVAILABLE:
		if (!atomic_load(&device->root->lost))
			return false;
		number = false;
		break;
	default: return false;
	}
	*status = copy_value(key->name, &number, sizeof(number), value,
			     capacity, need);
	return true;
}

/* Fetch the plugin's value into a new block, followed by a zero byte.  The
   caller frees *@out. */
static dpr_status fetch_value(const dpr_device *device,
			      const struct info_key *key, unsigned char **out,
			      size_t *size)
{
	const struct plugin *plugin = device->plugin;
	unsigned char *value = NULL;
	dprp_rc rc;

	*out = NULL;
	rc = info_ask(plugin, device->handle, key->number, NULL, 0, size);
	if (!rc) {
		value = mem_alloc(*size + 1);
		if (!value)
			return fail_memory("device info");
		rc = info_ask(plugin, device->handle, key->number, value, *size,
			      size);
	}
	if (!rc) {
		*out = value;
		return DPR_OK;
	}
	mem_free(value);
	if (rc == DPR_RC_ABI)
		return fail(DPR_ERROR_PLUGIN,
			    "device info %s of %s: device->info of backend %s "
			    "returned %zu bytes that are not a valid "
			    "value" PLUGIN_AGAINST("V6"),
			    key->name, device->selector, plugin->name, *size);
	if (rc == DPR_RC_UNSUPPORTED)
		return fail_unavailable(device, key->name);
	return plugin_status(plugin, rc, "device info %s of %s", key->name,
			     device->selector);
}

dpr_status dpr_device_info(const dpr_device *device, enum dpr_info number,
			   void *value, size_t capacity, size_t *need)
{
	TRACE_CALL;
	HANDLES(device);
	const struct info_key *key = find_key((uint32_t)number);
	unsigned char *bytes;
	dpr_status status;
	size_t size = 0;

	if (need)
		*need = 0;
	if (!device)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device info: the device is NULL");
	if (!key)
		return fail(DPR_ERROR_NOT_FOUND,
			    "device info: %d is not a value of enum dpr_info",
			    (int)number);
	status = process_check("device info");
	if (status)
		return status;
	if (answer_by_core(device, key, value, capacity, need, &status))
		return status;
	if (key->number >= FIRST_OF_CORE)
		return fail_unavailable(device, key->name);
	status = fetch_value(device, key, &bytes, &size);
	if (status)
		return status;
	status = copy_value(key->name, bytes, size, value, capacity, need);
	mem_free(bytes);
	return status;
}

dpr_status dpr_device_info_u64(const dpr_device *device, enum dpr_info number,
			       uint64_t *value)
{
	TRACE_CALL;
	HANDLES(device);
	const struct info_key *key = find_key((uint32_t)number);

	if (!value)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device info: value is NULL");
	*value = 0;
	if (key && key->type != DPR_INFO_TYPE_U64 &&
	    key->type != DPR_INFO_TYPE_BOOL && key->type != DPR_INFO_TYPE_FLAGS)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device info %s: the value is not a number; use "
			    "dpr_device_info()",
			    key->name);
	return dpr_device_info(device, number, value, sizeof(*value), NULL);
}

/* The string that was returned for @key before, or NULL.  The caller holds the
   lock. */
static const char *find_lent(const dpr_device *device, uint32_t key)
{
	const struct device_text *text = device->texts;

	while (text && text->key != key)
		text = text->next;
	return text ? text->text : NULL;
}

const char *dpr_device_info_string(const dpr_device *device,
				   enum dpr_info number)
{
	HANDLES_GET(device);
	/* Only the device's cache of strings changes, which callers cannot
	   see. */
	dpr_device *d = (dpr_device *)device;
	const struct info_key *key = find_key((uint32_t)number);
	struct device_text *text;
	const char *string;
	unsigned char *bytes;
	size_t size = 0;
	bool known;

	if (!d || !key || key->type != DPR_INFO_TYPE_STRING)
		return NULL;
	string = core_string(d, key->number, &known);
	if (known)
		return string;
	pthread_mutex_lock(&d->lock);
	string = find_lent(d, key->number);
	pthread_mutex_unlock(&d->lock);
	if (string || !process_alive() ||
	    info_ask(d->plugin, d->handle, key->number, NULL, 0, &size) ==
		    DPR_RC_UNSUPPORTED)
		return string;
	if (fetch_value(d, key, &bytes, &size))
		return NULL;
	text = mem_alloc(sizeof(*text) + size);
	pthread_mutex_lock(&d->lock);
	string = find_lent(d, key->number);
	if (!string && text) {
		text->key = key->number;
		memcpy(text->text, bytes, size);
		text->next = d->texts;
		d->texts = text;
		string = text->text;
		text = NULL;
	}
	pthread_mutex_unlock(&d->lock);
	mem_free(text);
	mem_free(bytes);
	return string;
}
