/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_memory.c - faults of allocations. */
#include <string.h>

#include "tests/kit/faulty.h"
#include "tests/plugins/mock/mock_impl.h"

static dprp_rc right_alloc(dprp_context *context, dprp_device *device,
			   const dprp_mem_desc *desc, dprp_mem **out)
{
	return faulty.mock->mem->alloc(context, device, desc, out);
}

static dprp_rc zero_alloc(dprp_context *context, dprp_device *device,
			  const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_mem_desc one = *desc;

	one.size += !one.size;
	return right_alloc(context, device, &one, out);
}

static void zero_size(void)
{
	faulty.mem.alloc = zero_alloc;
}

static dprp_rc wrap_alloc(dprp_context *context, dprp_device *device,
			  const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_mem_desc small = *desc;

	small.size = (uint32_t)small.size | 1;
	return right_alloc(context, device, desc->size >> 32 ? &small : desc,
			   out);
}

static void cut_size(void)
{
	faulty.mem.alloc = wrap_alloc;
}

static dprp_rc native_alloc(dprp_context *context, dprp_device *device,
			    const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_rc rc = right_alloc(context, device, desc, out);

	return rc == DPR_RC_OOM_DEVICE ? faulty_fail(DPR_RC_NATIVE) : rc;
}

static dprp_rc refuse_huge(dprp_context *context, dprp_device *device,
			   const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_rc rc = right_alloc(context, device, desc, out);

	return rc == DPR_RC_OOM_DEVICE ? faulty_fail(DPR_RC_INVALID) : rc;
}

static void huge_invalid(void)
{
	faulty.mem.alloc = refuse_huge;
}

static void too_large(void)
{
	faulty.mem.alloc = native_alloc;
}

static dprp_rc no_host_alloc(dprp_context *context, dprp_device *device,
			     const dprp_mem_desc *desc, dprp_mem **out)
{
	if (desc->kind == DPRP_MEM_HOST)
		return faulty_fail(DPR_RC_UNSUPPORTED);
	return right_alloc(context, device, desc, out);
}

static void no_host(void)
{
	faulty.mem.alloc = no_host_alloc;
}

static dprp_mem_info_fn *right_info;

static dprp_rc null_info(dprp_mem *mem, uint32_t key, void *buffer,
			 size_t capacity, size_t *need)
{
	dprp_rc rc = right_info(mem, key, buffer, capacity, need);

	if (!rc && buffer && key == DPRP_MEM_INFO_ADDRESS)
		memset(buffer, 0, 8);
	return rc;
}

static void null_address(void)
{
	right_info = faulty.mem.info;
	faulty.mem.info = null_info;
}

static dprp_rc odd_info(dprp_mem *mem, uint32_t key, void *buffer,
			size_t capacity, size_t *need)
{
	dprp_rc rc = right_info(mem, key, buffer, capacity, need);
	uint64_t address;

	if (rc || !buffer || key != DPRP_MEM_INFO_ADDRESS)
		return rc;
	memcpy(&address, buffer, 8);
	address += 4;
	memcpy(buffer, &address, 8);
	return rc;
}

static void odd_address(void)
{
	right_info = faulty.mem.info;
	faulty.mem.info = odd_info;
}

/* The alignment of malloc(), where no other is asked for. */
static dprp_rc sixteen_alloc(dprp_context *context, dprp_device *device,
			     const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_rc rc = right_alloc(context, device, desc, out);

	if (!rc && !desc->align && desc->kind == DPRP_MEM_DEVICE)
		(*out)->address = (char *)(*out)->address + 16;
	return rc;
}

/* What the device would say of its alignment is not known. */
static dprp_rc mute_info(dprp_device *device, uint32_t key, void *buffer,
			 size_t capacity, size_t *need)
{
	if (key == DPR_INFO_MEM_BASE_ALIGN)
		return faulty_fail(DPR_RC_UNSUPPORTED);
	return faulty.mock->device->info(device, key, buffer, capacity, need);
}

static void usual_sixteen(void)
{
	faulty.mem.alloc = sixteen_alloc;
	faulty.device.info = mute_info;
}

static dprp_rc hidden_info(dprp_mem *mem, uint32_t key, void *buffer,
			   size_t capacity, size_t *need)
{
	if (key == DPRP_MEM_INFO_ADDRESS)
		return faulty_fail(DPR_RC_UNSUPPORTED);
	return right_info(mem, key, buffer, capacity, need);
}

static void hides_address(void)
{
	right_info = faulty.mem.info;
	faulty.mem.info = hidden_info;
}

static dprp_rc kind_info(dprp_mem *mem, uint32_t key, void *buffer,
			 size_t capacity, size_t *need)
{
	dprp_rc rc = right_info(mem, key, buffer, capacity, need);

	if (!rc && buffer && key == DPRP_MEM_INFO_KIND)
		*(uint64_t *)buffer = DPRP_MEM_DEVICE;
	return rc;
}

static void other_kind(void)
{
	right_info = faulty.mem.info;
	faulty.mem.info = kind_info;
}

static dprp_mem *first;

/* Small allocations of the device share one. */
static dprp_rc same_alloc(dprp_context *context, dprp_device *device,
			  const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_mem_desc large = *desc;
	dprp_rc rc;

	if (desc->kind != DPRP_MEM_DEVICE || desc->size > 65536)
		return right_alloc(context, device, desc, out);
	large.size = 65536;
	rc = first ? DPR_RC_OK : right_alloc(context, device, &large, &first);
	*out = first;
	return rc;
}

static void keep(dprp_mem *mem)
{
	if (mem != first)
		faulty.mock->mem->free(mem);
}

static void shares_memory(void)
{
	faulty.mem.alloc = same_alloc;
	faulty.mem.free = keep;
}

/* Each piece of the device's memory begins 64 bytes behind the piece before. */
static dprp_rc behind_alloc(dprp_context *context, dprp_device *device,
			    const dprp_mem_desc *desc, dprp_mem **out)
{
	static char *before;
	dprp_rc rc = right_alloc(context, device, desc, out);

	if (rc || desc->kind != DPRP_MEM_DEVICE || desc->align)
		return rc;
	if (before)
		(*out)->address = before + 64;
	before = (*out)->address;
	return rc;
}

static void overlaps(void)
{
	faulty.mem.alloc = behind_alloc;
}

/* Imported memory is a copy. */
static dprp_rc copy_alloc(dprp_context *context, dprp_device *device,
			  const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_mem_desc other = *desc;

	if (desc->kind == DPRP_MEM_IMPORT_HOST) {
		other.kind = DPRP_MEM_HOST;
		other.host_ptr = NULL;
	}
	return right_alloc(context, device, &other, out);
}

static void import_copies(void)
{
	faulty.mem.alloc = copy_alloc;
}

const struct fault faulty_memory_faults[] = {
	{ "zero_size", zero_size },
	{ "cut_size", cut_size },
	{ "too_large", too_large },
	{ "huge_invalid", huge_invalid },
	{ "no_host", no_host },
	{ "null_address", null_address },
	{ "odd_address", odd_address },
	{ "usual_sixteen", usual_sixteen },
	{ "hides_address", hides_address },
	{ "other_kind", other_kind },
	{ "overlaps", overlaps },
	{ "shares_memory", shares_memory },
	{ "import_copies", import_copies },
	{ NULL, NULL },
};
