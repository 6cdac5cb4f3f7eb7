/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_mem.c - the entries of memory. */
#include "core/runtime/layer/wrap_mem.h"

#include <string.h>

#include "core/runtime/layer/answer.h"

/* The alignment that is enough for every type and vector. */
#define USUAL 64

/* A property of the device that is a number; @otherwise: it has none. */
static uint64_t ask_number(struct passage *p, dprp_device *device, uint32_t key,
			   uint64_t otherwise)
{
	uint64_t number = 0;
	size_t need = 0;
	dprp_rc rc;

	passage_probe();
	rc = p->layer->device.info(device, key, &number, sizeof(number), &need);
	passage_probed();
	return rc || need != sizeof(number) ? otherwise : number;
}

/* Whether the device says that it has memory of this kind. */
static bool has_kind(struct passage *p, dprp_device *device, uint32_t kind)
{
	static const uint32_t keys[] = { 0, DPR_INFO_ASPECT_USM_DEVICE,
					 DPR_INFO_ASPECT_USM_SHARED,
					 DPR_INFO_ASPECT_USM_HOST };

	return kind >= DPRP_MEM_DEVICE && kind <= DPRP_MEM_HOST &&
	       p->layer->checks && ask_number(p, device, keys[kind], 0);
}

/* Whether nothing but the kind could be unsupported. */
static bool is_plain(const dprp_mem_desc *desc)
{
	return desc->struct_size <= sizeof(*desc) && !desc->flags &&
	       !desc->ext && !desc->align;
}

static dprp_rc wrap_alloc(dprp_context *context, dprp_device *device,
			  const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_mem *made = PASSAGE_UNSET;
	struct passage_maker m;
	struct passage p;
	dprp_rc rc = passage_begin_making(&p, ENTRY_mem_alloc, TAG_MEM, context,
					  device, &m);

	if (rc)
		return rc;
	m.tag->u.mem = (struct tag_mem){
		.device = tag_number(device),
		.kind = desc->kind,
		.size = desc->size,
		.align = desc->align,
		.address = (uintptr_t)desc->host_ptr,
	};
	rc = passage_end(&p,
			 p.layer->mem.alloc(m.context, m.device, desc, &made));
	if (rc == DPR_RC_UNSUPPORTED && is_plain(desc) &&
	    has_kind(&p, m.device, desc->kind))
		passage_bad(&p, "M2", "memory of each kind that the device has",
			    "DPR_RC_UNSUPPORTED for memory of kind %u, which "
			    "an aspect of the device promises",
			    (unsigned)desc->kind);
	*out = passage_made(&p, rc, m.tag, made);
	return rc;
}

static void wrap_free(dprp_mem *mem)
{
	struct passage p;
	void *real;

	if (passage_begin(&p, ENTRY_mem_free, TAG_MEM, mem, &real))
		return;
	if (tag_remove(TAG_MEM, tag_number(mem)))
		p.layer->mem.free(real);
	(void)passage_end(&p, DPR_RC_OK);
}

/* --- Properties -------------------------------------------------------------
 */

static const char *bad_form(uint32_t key, const void *value, size_t size)
{
	void *address = NULL;

	if (key != DPRP_MEM_INFO_ADDRESS)
		return size != sizeof(uint64_t) ? "8 bytes" : NULL;
	if (size != sizeof(address))
		return "an address";
	if (!value)
		return NULL;
	memcpy(&address, value, size);
	return address ? NULL : "an address that is not NULL";
}

static dprp_rc ask_mem(const struct answer *a, void *buffer, size_t capacity,
		       size_t *need)
{
	return a->p->layer->mem.info(a->handle, a->key, buffer, capacity, need);
}

/* Whether another allocation has some of the same bytes. */
struct overlap {
	struct tag tag; /* of the allocation */
	bool found;
};

/* Whether the memory was allocated, not imported or wrapped. */
static bool is_own(const struct tag_mem *mem)
{
	return mem->kind >= DPRP_MEM_DEVICE && mem->kind <= DPRP_MEM_HOST;
}

static void look_for_overlap(void *user, struct tag *tag)
{
	struct overlap *overlap = user;
	const struct tag_mem *a = &overlap->tag.u.mem, *b = &tag->u.mem;

	/* Two devices may have memory of their own at the same address. */
	if (tag->number == overlap->tag.number ||
	    tag->layer != overlap->tag.layer || !is_own(a) || !is_own(b) ||
	    !b->address || a->device != b->device)
		return;
	overlap->found |= a->address < b->address + b->size &&
			  b->address < a->address + a->size;
}

/* Note the address, and check how it is aligned. */
static void learn_address(struct passage *p, uintptr_t number, const void *at)
{
	struct tag *tag = tag_get(TAG_MEM, number);
	struct overlap other = { .found = false };
	uint64_t align;

	if (!tag)
		return;
	tag->u.mem.address = (uintptr_t)at;
	align = tag->u.mem.align;
	if (!align)
		align = tag->u.mem.kind == DPRP_MEM_IMPORT_HOST ? 1 : USUAL;
	other.tag = *tag;
	tag_put();
	if ((uintptr_t)at % align)
		passage_bad(p, "M3", "memory that is aligned as requested",
			    "an address that is not a multiple of %llu",
			    (unsigned long long)align);
	tag_each(TAG_MEM, look_for_overlap, &other);
	if (other.found)
		passage_bad(p, "M5", "memory of its own",
			    "memory that overlaps another allocation");
}

/* Whether an address was given, as the device says of all its memory. */
static void check_aspect(struct passage *p, uintptr_t number, dprp_rc rc)
{
	struct tag *tag = tag_get(TAG_MEM, number);
	uintptr_t device = tag ? tag->u.mem.device : 0;
	bool own = tag && is_own(&tag->u.mem);
	uint64_t has;
	void *real;

	if (tag)
		tag_put();
	tag = own ? tag_get(TAG_DEVICE, device) : NULL;
	if (!tag)
		return;
	real = tag->real;
	tag_put();
	has = ask_number(p, real, DPR_INFO_ASPECT_ADDRESSES, 0);
	if (has && rc == DPR_RC_UNSUPPORTED)
		passage_bad(p, "M5", "an address: ASPECT_ADDRESSES is 1",
			    "DPR_RC_UNSUPPORTED");
	else if (!has && !rc)
		passage_bad(p, "M5",
			    "DPR_RC_UNSUPPORTED: ASPECT_ADDRESSES is 0",
			    "an address");
}

static dprp_rc wrap_info(dprp_mem *mem, uint32_t key, void *buffer,
			 size_t capacity, size_t *need)
{
	const char *rule = key == DPRP_MEM_INFO_ADDRESS ? "M5" : "M6";
	struct passage p;
	void *real, *address;
	dprp_rc rc = passage_begin(&p, ENTRY_mem_info, TAG_MEM, mem, &real);

	if (rc)
		return rc;
	rc = answer_get(&(struct answer){ &p, ask_mem, real, NULL, key, buffer,
					  capacity, need, bad_form, rule });
	if (p.layer->checks && key == DPRP_MEM_INFO_ADDRESS)
		check_aspect(&p, tag_number(mem), rc);
	if (rc || !buffer || key != DPRP_MEM_INFO_ADDRESS ||
	    *need != sizeof(address) || capacity < sizeof(address))
		return rc;
	memcpy(&address, buffer, sizeof(address));
	learn_address(&p, tag_number(mem), address);
	return rc;
}

/* --- Other processes --------------------------------------------------------
 */

static dprp_rc wrap_export(dprp_mem *mem, dprp_ipc *out)
{
	struct passage p;
	void *real;
	dprp_rc rc =
		passage_begin(&p, ENTRY_mem_ipc_export, TAG_MEM, mem, &real);

	return rc ? rc : passage_end(&p, p.layer->mem.ipc_export(real, out));
}

static dprp_rc wrap_import(dprp_context *context, dprp_device *device,
			   const dprp_ipc *from, dprp_mem **out)
{
	dprp_mem *made = PASSAGE_UNSET;
	struct passage_maker m;
	struct passage p;
	dprp_rc rc = passage_begin_making(&p, ENTRY_mem_ipc_import, TAG_MEM,
					  context, device, &m);

	if (rc)
		return rc;
	m.tag->u.mem.align = 1;
	rc = passage_end(
		&p, p.layer->mem.ipc_import(m.context, m.device, from, &made));
	*out = passage_made(&p, rc, m.tag, made);
	return rc;
}

void wrap_mem_install(struct layer *layer, dprp_mem_ops *ops)
{
	const dprp_mem_ops *own = layer->desc->mem;

	ops->alloc = wrap_alloc;
	ops->free = wrap_free;
	ops->info = wrap_info;
	if (DPRP_HAS(own, dprp_mem_ops, ipc_export))
		ops->ipc_export = wrap_export;
	if (DPRP_HAS(own, dprp_mem_ops, ipc_import))
		ops->ipc_import = wrap_import;
}
