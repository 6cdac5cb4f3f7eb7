/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_mem.c - memory.  All kinds are the same to the CPU; the kind is only
 * recorded.
 */
#include "host.h"

#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define MOST_ALIGN ((uint64_t)2 << 20)
/* Allocations of this size and more are mapped, in large pages: with small
   pages, the first write to 64 MiB takes several times as long as summing
   them. */
#define MAP_FROM ((uint64_t)4 << 20)

/* Map @size bytes of address space that start at a large page. */
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

	if (desc->kind < DPRP_MEM_DEVICE || desc->kind > DPRP_MEM_IMPORT_HOST)
		return dprh_fail(&instance->host, DPR_RC_UNSUPPORTED, 0,
				 "memory of kind %u is unknown",
				 (unsigned)desc->kind);
	if (import != !!desc->host_ptr)
		return dprh_fail(
			&instance->host, DPR_RC_INVALID, 0,
			"host: memory: host_ptr must be set with IMPORT_HOST, "
			"and NULL without it");
	if (desc->align > MOST_ALIGN)
		return dprh_fail(
			&instance->host, DPR_RC_INVALID, 0,
			"host: memory: an alignment of %llu bytes is above 2 MiB",
			(unsigned long long)desc->align);
	if (desc->size > instance->memory)
		return dprh_fail(
			&instance->host, DPR_RC_OOM_DEVICE, 0,
			"host: memory: %llu bytes requested, but the machine has %llu",
			(unsigned long long)desc->size,
			(unsigned long long)instance->memory);
	return DPR_RC_OK;
}

void host_mem_free(dprp_mem *mem)
{
	if (mem->mapped && mem->address)
		munmap(mem->address, mem->mapped);
	dprh_free(&mem->instance->host, mem->block);
	dprh_free(&mem->instance->host, mem);
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
	rc = dprh_take_mem(&instance->host, theirs, &desc);
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
		/* If the memory was to be mapped, it is the device's memory
		   that is short. */
		rc = mem->mapped ? DPR_RC_OOM_DEVICE : DPR_RC_OOM_HOST;
		host_mem_free(mem);
		return dprh_fail(&instance->host, rc, 0,
				 "host: memory: cannot allocate %llu bytes",
				 (unsigned long long)desc.size);
	}
	*out = mem;
	return DPR_RC_OK;
}

/* Whether all pages of the range are mapped.  msync() fails if one is not, and
   writes nothing with MS_ASYNC. */
static bool mem_is_mapped(uintptr_t start, uint64_t size)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = start & ~(page - 1), end;

	return !__builtin_add_overflow(start, size, &end) &&
	       msync((void *)first, end - first, MS_ASYNC) == 0;
}

dprp_rc host_mem_wrap(dprp_context *context, uintptr_t address, uint64_t size,
		      dprp_mem **out)
{
	dprp_instance *instance = context->instance;
	dprp_mem *mem;

	if (!mem_is_mapped(address, size))
		return dprh_fail(
			&instance->host, DPR_RC_INVALID, 0,
			"host: native wrap: %llu bytes at %#llx are not all "
			"memory of this process",
			(unsigned long long)size, (unsigned long long)address);
	mem = host_util_alloc(instance, sizeof(*mem));
	if (!mem)
		return DPR_RC_OOM_HOST;
	mem->instance = instance;
	mem->kind = DPRP_MEM_HOST;
	mem->size = size;
	mem->address = (unsigned char *)address;
	*out = mem;
	return DPR_RC_OK;
}

dprp_rc host_mem_info(dprp_mem *mem, uint32_t key, void *buffer,
		      size_t capacity, size_t *need)
{
	return dprh_mem_info(&mem->instance->host, mem->address, mem->kind, key,
			     buffer, capacity, need);
}
