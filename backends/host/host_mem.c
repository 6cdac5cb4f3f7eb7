/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_mem.c - memory.  To the CPU all kinds are the same: they are remembered,
 * and that is all.
 */
#include "host.h"

#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define MOST_ALIGN ((uint64_t)2 << 20)
/* From here on memory is mapped, for large pages: the first write into 64 MiB
   of small ones takes several times as long as adding them up. */
#define MAP_FROM ((uint64_t)4 << 20)

/* Address space of @size bytes that starts at a large page. */
static unsigned char *map_aligned(size_t size)
{
	unsigned char *start, *block;
	size_t head;

	block = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		return NULL;
	head = -(uintptr_t)block & (HUGE_PAGE - 1);
	start = block + head;
	if (head)
		munmap(block, head);
	if (HUGE_PAGE - head)
		munmap(start + size, HUGE_PAGE - head);
	(void)madvise(start, size, MADV_HUGEPAGE);
	return start;
}

static bool mem_back(dprp_mem *mem, const dprp_mem_desc *desc)
{
	const dprp_host *host = &mem->instance->host;
	uint64_t align = desc->align > HOST_ALIGN ? desc->align : HOST_ALIGN;
	size_t page = 4096;
	uintptr_t start;

	if (desc->kind == DPRP_MEM_IMPORT_HOST) {
		mem->address = desc->host_ptr;
		return true;
	}
	if (mem->size >= MAP_FROM) {
		mem->mapped = ((size_t)mem->size + page - 1) & ~(page - 1);
		mem->address = map_aligned(mem->mapped);
		return mem->address != NULL;
	}
	mem->block = host->alloc(host->self, (size_t)(mem->size + align));
	start = ((uintptr_t)mem->block + align - 1) & ~(uintptr_t)(align - 1);
	mem->address = (unsigned char *)start;
	return mem->block != NULL;
}

static dprp_rc mem_check(dprp_instance *instance, const dprp_mem_desc *desc)
{
	bool import = desc->kind == DPRP_MEM_IMPORT_HOST;

	if (desc->kind < DPRP_MEM_DEVICE || desc->kind > DPRP_MEM_IMPORT_HOST ||
	    desc->flags || desc->ext)
		return host_util_fail(
			instance, DPR_RC_UNSUPPORTED,
			"host: memory: kind %u, flags %#x or extension unknown",
			desc->kind, desc->flags);
	if (!desc->size)
		return host_util_fail(instance, DPR_RC_INVALID,
				      "host: memory: size is 0");
	if (import != !!desc->host_ptr)
		return host_util_fail(
			instance, DPR_RC_INVALID,
			"host: memory: host_ptr is for IMPORT_HOST, and only for that");
	if (desc->align & (desc->align - 1) || desc->align > MOST_ALIGN)
		return host_util_fail(
			instance, DPR_RC_INVALID,
			"host: memory: align %llu is not a power of two up to 2 MiB",
			(unsigned long long)desc->align);
	if (desc->size > instance->memory)
		return host_util_fail(
			instance, DPR_RC_OOM_DEVICE,
			"host: memory: %llu bytes, the machine has %llu",
			(unsigned long long)desc->size,
			(unsigned long long)instance->memory);
	return DPR_RC_OK;
}

void host_mem_free(dprp_mem *mem)
{
	if (mem->mapped && mem->address)
		munmap(mem->address, mem->mapped);
	host_util_free(mem->instance, mem->block);
	host_util_free(mem->instance, mem);
}

dprp_rc host_mem_alloc(dprp_context *context, dprp_device *device,
		       const dprp_mem_desc *theirs, dprp_mem **out)
{
	dprp_instance *instance = context->instance;
	dprp_mem_desc desc;
	dprp_mem *mem;
	dprp_rc rc;

	(void)device;
	*out = NULL;
	rc = plugin_struct_take(&instance->host, "dprp_mem_desc", &desc,
				sizeof(desc), theirs);
	if (!rc)
		rc = mem_check(instance, &desc);
	if (rc)
		return rc;
	mem = host_util_alloc(instance, sizeof(*mem));
	if (!mem)
		return DPR_RC_OOM_HOST;
	mem->instance = instance;
	mem->kind = desc.kind;
	mem->size = desc.size;
	if (!mem_back(mem, &desc)) {
		/* The device's memory is the mapped one. */
		rc = mem->mapped ? DPR_RC_OOM_DEVICE : DPR_RC_OOM_HOST;
		host_mem_free(mem);
		return host_util_fail(
			instance, rc,
			"host: memory: cannot allocate %llu bytes",
			(unsigned long long)desc.size);
	}
	*out = mem;
	return DPR_RC_OK;
}

dprp_rc host_mem_info(dprp_mem *mem, uint32_t key, void *buffer,
		      size_t capacity, size_t *need)
{
	uint64_t kind = mem->kind;

	switch (key) {
	case DPRP_MEM_INFO_ADDRESS:
		return plugin_info_answer(&mem->instance->host, &mem->address,
					  sizeof(mem->address), buffer,
					  capacity, need);
	case DPRP_MEM_INFO_SIZE:
		return plugin_info_answer(&mem->instance->host, &mem->size,
					  sizeof(mem->size), buffer, capacity,
					  need);
	case DPRP_MEM_INFO_KIND:
		return plugin_info_answer(&mem->instance->host, &kind,
					  sizeof(kind), buffer, capacity, need);
	default:
		return host_util_fail(
			mem->instance, DPR_RC_UNSUPPORTED,
			"host: memory info: key %u is not available", key);
	}
}
