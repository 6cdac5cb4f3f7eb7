/* SPDX-License-Identifier: Apache-2.0 */
/* mock_mem.c - memory by malloc, with addresses that may not be used. */
#include "tests/plugins/mock/mock_impl.h"

#include <string.h>
#include <sys/mman.h>

static dprp_rc mock_mem_check(dprp_context *context, dprp_device *device,
			      const dprp_mem_desc *desc)
{
	dprp_instance *instance = context->instance;
	const struct mock_options *o = &instance->options;

	MOCK_KNOWN(instance, desc);
	if (desc->kind < DPRP_MEM_DEVICE || desc->kind > DPRP_MEM_IMPORT_HOST ||
	    !(o->kinds & 1u << desc->kind) || desc->flags || desc->ext)
		return mock_fail(instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": memory: kind %u is not there",
				 desc->kind);
	if (!desc->size || (desc->align & (desc->align - 1)) ||
	    (desc->kind == DPRP_MEM_IMPORT_HOST) != !!desc->host_ptr)
		return mock_fail(instance, DPR_RC_INVALID,
				 MOCK_NAME ": memory: size, align or host_ptr");
	if (desc->align > 2u << 20)
		return mock_fail(instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": memory: align is over 2 MiB");
	if (desc->size > o->max_alloc)
		return mock_fail(instance, DPR_RC_OOM_DEVICE,
				 MOCK_NAME
				 ": memory: %llu bytes, at most %llu at once",
				 (unsigned long long)desc->size,
				 (unsigned long long)o->max_alloc);
	return mock_device_check(device, "memory");
}

/* Take @size bytes of the device's memory. */
static dprp_rc mock_mem_reserve(dprp_device *root, uint64_t size)
{
	dprp_rc rc = DPR_RC_OK;

	pthread_mutex_lock(&mock_lock);
	if (size > root->instance->options.memory - root->used)
		rc = DPR_RC_OOM_DEVICE;
	else
		root->used += size;
	if (!rc)
		mock_bytes_add((int64_t)size);
	pthread_mutex_unlock(&mock_lock);
	if (rc)
		mock_fail(root->instance, rc,
			  MOCK_NAME ": memory: %llu bytes, the device is full",
			  (unsigned long long)size);
	return rc;
}

static void mock_mem_unreserve(dprp_device *root, uint64_t size)
{
	pthread_mutex_lock(&mock_lock);
	root->used -= size;
	mock_bytes_add(-(int64_t)size);
	pthread_mutex_unlock(&mock_lock);
}

static dprp_rc mock_mem_back(dprp_mem *mem, const dprp_mem_desc *desc)
{
	uint64_t align = desc->align > MOCK_ALIGN ? desc->align : MOCK_ALIGN;
	uint64_t off = mem->instance->options.misalign;
	uintptr_t start;

	if (desc->kind == DPRP_MEM_IMPORT_HOST) {
		mem->bytes = desc->host_ptr;
		mem->address = mem->bytes;
		return DPR_RC_OK;
	}
	mem->block = mem->instance->host.alloc(mem->instance->host.self,
					       mem->size + align + off);
	if (!mem->block)
		return mock_fail(mem->instance, DPR_RC_OOM_HOST,
				 MOCK_NAME ": memory: malloc failed");
	start = ((uintptr_t)mem->block + align - 1) & ~(uintptr_t)(align - 1);
	mem->bytes = (unsigned char *)start + off;
	/* What is never written must not look like zeros by luck. */
	memset(mem->bytes, 0xa5, mem->size < 4096 ? mem->size : 4096);
	mem->address = mem->bytes;
	if (desc->kind != DPRP_MEM_DEVICE || mem->instance->options.host_memory)
		return DPR_RC_OK;
	mem->address = mmap(NULL, mem->size + align + off, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem->address == MAP_FAILED) {
		mem->address = NULL;
		return mock_fail(mem->instance, DPR_RC_OOM_DEVICE,
				 MOCK_NAME ": memory: no addresses left");
	}
	mem->mapping = mem->address;
	mem->mapped = mem->size + align + off;
	start = ((uintptr_t)mem->address + align - 1) & ~(uintptr_t)(align - 1);
	mem->address = (char *)start + off;
	return DPR_RC_OK;
}

static void mock_mem_release(dprp_mem *mem)
{
	if (mem->mapping)
		munmap(mem->mapping, mem->mapped);
	mock_free(mem->instance, mem->block);
	mock_free(mem->instance, mem);
}

static dprp_rc mock_mem_alloc(dprp_context *context, dprp_device *device,
			      const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_mem *mem;
	dprp_rc rc;

	*out = NULL;
	MOCK_ENTER(context->instance, MOCK_mem_alloc);
	rc = mock_mem_check(context, device, desc);
	if (rc)
		return rc;
	mem = mock_alloc(context->instance, sizeof(*mem));
	if (!mem)
		return DPR_RC_OOM_HOST;
	mem->instance = context->instance;
	mem->root = device->root;
	mem->kind = desc->kind;
	mem->size = desc->size;
	rc = mock_mem_reserve(mem->root, mem->size);
	if (rc)
		goto err;
	rc = mock_mem_back(mem, desc);
	if (rc)
		goto err_unreserve;
	mem->reserved = true;
	mock_born(MOCK_MEM, 1);
	*out = mem;
	return DPR_RC_OK;
err_unreserve:
	mock_mem_unreserve(mem->root, mem->size);
err:
	mock_mem_release(mem);
	return rc;
}

static void mock_mem_free(dprp_mem *mem)
{
	mock_count(MOCK_mem_free);
	mock_born(MOCK_MEM, -1);
	if (mem->reserved)
		mock_mem_unreserve(mem->root, mem->size);
	mock_mem_release(mem);
}

static dprp_rc mock_mem_info(dprp_mem *mem, uint32_t key, void *buffer,
			     size_t capacity, size_t *need)
{
	uint64_t kind = mem->kind;
	void *none = NULL;

	MOCK_ENTER(mem->instance, MOCK_mem_info);
	switch (key) {
	case DPRP_MEM_INFO_ADDRESS:
		if (!mem->instance->options.addresses)
			break;
		if (mock_lie(MOCK_LIE_ADDRESS))
			return mock_answer(mem->instance, &none, sizeof(none),
					   buffer, capacity, need);
		return mock_answer(mem->instance, &mem->address,
				   sizeof(mem->address), buffer, capacity,
				   need);
	case DPRP_MEM_INFO_SIZE:
		return mock_answer(mem->instance, &mem->size, sizeof(mem->size),
				   buffer, capacity, need);
	case DPRP_MEM_INFO_KIND:
		return mock_answer(mem->instance, &kind, sizeof(kind), buffer,
				   capacity, need);
	default: break;
	}
	return mock_fail(mem->instance, DPR_RC_UNSUPPORTED,
			 MOCK_NAME ": memory info: no key %u", key);
}

const dprp_mem_ops mock_mem_ops = {
	.struct_size = sizeof(dprp_mem_ops),
	.alloc = mock_mem_alloc,
	.free = mock_mem_free,
	.info = mock_mem_info,
};
