/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_info.c - faults of what devices answer. */
#include <string.h>

#include "tests/kit/faulty.h"

/* A wrong answer for one key: its bytes. */
static uint32_t wrong_key;
static unsigned char wrong[64];
static size_t wrong_size;

static dprp_rc answer(void *buffer, size_t capacity, size_t *need)
{
	*need = wrong_size;
	if (!buffer)
		return DPR_RC_OK;
	if (capacity < wrong_size)
		return faulty_fail(DPR_RC_INVALID);
	memcpy(buffer, wrong, wrong_size);
	return DPR_RC_OK;
}

static dprp_rc wrong_info(dprp_device *device, uint32_t key, void *buffer,
			  size_t capacity, size_t *need)
{
	if (key == wrong_key)
		return answer(buffer, capacity, need);
	return faulty.mock->device->info(device, key, buffer, capacity, need);
}

static void lie(uint32_t key, const void *bytes, size_t size)
{
	wrong_key = key;
	wrong_size = size;
	memcpy(wrong, bytes, size);
	faulty.device.info = wrong_info;
}

static void cut_text(void)
{
	lie(DPR_INFO_NAME, "faulty", 6);
}

static void latin1(void)
{
	lie(DPR_INFO_VENDOR, "M\xfcller", 7);
}

static void bool_two(void)
{
	lie(DPR_INFO_ASPECT_FP64, &(uint64_t){ 2 }, 8);
}

static void half_number(void)
{
	lie(DPR_INFO_COMPUTE_UNITS, &(uint32_t){ 2 }, 4);
}

static void half_list(void)
{
	lie(DPR_INFO_MAX_WORK_ITEM_SIZES, "123456789012", 12);
}

static void type_nine(void)
{
	lie(DPR_INFO_TYPE, &(uint64_t){ 9 }, 8);
}

static void align_three(void)
{
	lie(DPR_INFO_MEM_BASE_ALIGN, &(uint64_t){ 48 }, 8);
}

static void two_groups(void)
{
	lie(DPR_INFO_MAX_WORK_GROUPS, (uint64_t[2]){ 7, 7 }, 16);
}

static void pci_words(void)
{
	lie(DPR_INFO_PCI_ADDRESS, "slot 7", 7);
}

static dprp_rc knows_all(dprp_device *device, uint32_t key, void *buffer,
			 size_t capacity, size_t *need)
{
	if (key >= 899) {
		*need = 8;
		return DPR_RC_OK;
	}
	return faulty.mock->device->info(device, key, buffer, capacity, need);
}

static void knows_unknown(void)
{
	faulty.device.info = knows_all;
}

static dprp_rc cuts(dprp_device *device, uint32_t key, void *buffer,
		    size_t capacity, size_t *need)
{
	unsigned char whole[4096];
	dprp_rc rc = faulty.mock->device->info(device, key, whole,
					       sizeof(whole), need);

	if (!rc && buffer)
		memcpy(buffer, whole, capacity < *need ? capacity : *need);
	return rc;
}

static void cuts_answers(void)
{
	faulty.device.info = cuts;
}

static dprp_rc grows(dprp_device *device, uint32_t key, void *buffer,
		     size_t capacity, size_t *need)
{
	dprp_rc rc =
		faulty.mock->device->info(device, key, buffer, capacity, need);

	if (!rc && !buffer && key == DPR_INFO_FORMATS)
		*need += 8;
	return rc;
}

static void other_size(void)
{
	faulty.device.info = grows;
}

/* A buffer is asked for, where the size alone is. */
static dprp_rc needs_buffer(dprp_device *device, uint32_t key, void *buffer,
			    size_t capacity, size_t *need)
{
	if (key == DPR_INFO_NAME && !buffer)
		return faulty_fail(DPR_RC_INVALID);
	return faulty.mock->device->info(device, key, buffer, capacity, need);
}

static void refuses_size(void)
{
	faulty.device.info = needs_buffer;
}

/* Memory has addresses, but the device does not say so. */
static void no_promise(void)
{
	lie(DPR_INFO_ASPECT_ADDRESSES, &(uint64_t){ 0 }, 8);
}

const struct fault faulty_info_faults[] = {
	{ "cut_text", cut_text },
	{ "latin1", latin1 },
	{ "bool_two", bool_two },
	{ "half_number", half_number },
	{ "half_list", half_list },
	{ "type_nine", type_nine },
	{ "align_three", align_three },
	{ "two_groups", two_groups },
	{ "pci_words", pci_words },
	{ "knows_unknown", knows_unknown },
	{ "cuts_answers", cuts_answers },
	{ "other_size", other_size },
	{ "refuses_size", refuses_size },
	{ "no_promise", no_promise },
	{ NULL, NULL },
};
