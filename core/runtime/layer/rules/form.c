/* SPDX-License-Identifier: Apache-2.0 */
/* form.c - the forms of a device's properties. */
#include "core/runtime/layer/rules/form.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <dpr/info.h>

static uint32_t type_of(uint32_t key)
{
	static const struct {
		uint32_t key, type;
	} keys[] = {
#define DPR__X(name, number, type, unit, text) { number, DPR_INFO_TYPE_##type },
		DPR_INFO_MAP(DPR__X)
#undef DPR__X
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].key == key)
			return keys[i].type;
	return 0;
}

/* --- Numbers ----------------------------------------------------------------
 */

/* What is expected in place of a number; NULL: the number is right. */
static const char *bad_number(uint32_t key, uint64_t number)
{
	static const struct {
		uint32_t key;
		uint64_t least, most;
		const char *expected;
	} ranges[] = {
		{ DPR_INFO_TYPE, DPR_DEVICE_CPU, DPR_DEVICE_CUSTOM,
		  "a number of enum dpr_device_type" },
		{ DPR_INFO_BINARIES, DPR_BINARIES_NEVER, DPR_BINARIES_SECOND,
		  "a number of enum dpr_binaries" },
		{ DPR_INFO_MAX_WORK_ITEM_DIMS, 3, UINT64_MAX, "at least 3" },
		{ DPR_INFO_MAX_WORK_GROUP_SIZE, 1, UINT64_MAX, "at least 1" },
		{ DPR_INFO_MAX_ALLOC_SIZE, 1, UINT64_MAX, "at least 1" },
		{ DPR_INFO_COMPUTE_UNITS, 1, UINT64_MAX, "at least 1" },
		{ DPR_INFO_COPY_THREADS, 1, UINT64_MAX, "at least 1" },
		{ DPR_INFO_PARTITION_UNIT, 1, UINT64_MAX, "at least 1" },
		{ DPR_INFO_LOCAL_MEM_TYPE, 0, 2, "0, 1 or 2" },
		{ DPR_INFO_GLOBAL_CACHE_TYPE, 0, 2, "0, 1 or 2" },
	};
	size_t i;

	if (key == DPR_INFO_MEM_BASE_ALIGN || key == DPR_INFO_SUB_BUFFER_ALIGN)
		return !number || (number & (number - 1)) ? "a power of two"
							  : NULL;
	for (i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (ranges[i].key == key &&
		    (number < ranges[i].least || number > ranges[i].most))
			return ranges[i].expected;
	return NULL;
}

/* --- Texts ------------------------------------------------------------------
 */

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

static bool is_pci_address(const char *text)
{
	unsigned domain, bus, device, function;
	char rest;

	return sscanf(text, "%x:%x:%x.%x%c", &domain, &bus, &device, &function,
		      &rest) == 4;
}

static const char *bad_string(uint32_t key, const unsigned char *bytes,
			      size_t size)
{
	if (!size || (bytes && memchr(bytes, '\0', size) != bytes + size - 1))
		return "a string whose one zero byte is its last";
	if (bytes && !is_utf8(bytes, size))
		return "a string in UTF-8";
	if (bytes && key == DPR_INFO_PCI_ADDRESS &&
	    !is_pci_address((const char *)bytes))
		return "domain:bus:device.function in hex";
	return NULL;
}

static const char *bad_strings(const unsigned char *bytes, size_t size)
{
	if (!bytes)
		return NULL;
	if (size && bytes[size - 1])
		return "strings, each with its zero byte";
	return is_utf8(bytes, size) ? NULL : "strings in UTF-8";
}

/* --- Values -----------------------------------------------------------------
 */

static const char *bad_list(uint32_t key, size_t size)
{
	if (key == DPR_INFO_MAX_WORK_GROUPS)
		return size != 24 ? "three numbers of 8 bytes" : NULL;
	if (key == DPR_INFO_DLPACK_DEVICE)
		return size != 48 ? "six numbers of 8 bytes" : NULL;
	return size % 8 ? "numbers of 8 bytes" : NULL;
}

const char *form_bad(uint32_t key, const void *value, size_t size)
{
	uint64_t number = 0;

	if (value && size >= sizeof(number))
		memcpy(&number, value, sizeof(number));
	switch (type_of(key)) {
	case DPR_INFO_TYPE_STRING: return bad_string(key, value, size);
	case DPR_INFO_TYPE_STRINGS: return bad_strings(value, size);
	case DPR_INFO_TYPE_UUID: return size != 16 ? "16 bytes" : NULL;
	case DPR_INFO_TYPE_LIST: return bad_list(key, size);
	case DPR_INFO_TYPE_BOOL:
		return size != 8 || number > 1 ? "8 bytes, 0 or 1" : NULL;
	case DPR_INFO_TYPE_U64:
	case DPR_INFO_TYPE_FLAGS:
		if (size != 8)
			return "8 bytes";
		return value ? bad_number(key, number) : NULL;
	}
	return NULL;
}
