/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_mem.c - the entries of memory. */
#include "core/runtime/layer/wrap_mem.h"

#include <string.h>

#include "core/runtime/layer/answer.h"

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

/* Note the address, and check how it is aligned. */
static void learn_address(struct passage *p, uintptr_t number, const void *at)
{
	struct tag *tag = tag_get(TAG_MEM, number);
	uint64_t align;

	if (!tag)
		return;
	tag->u.mem.address = (uintptr_t)at;
	align = tag->u.mem.align ? tag->u.mem.align : sizeof(uint64_t);
	tag_put();
	if ((uintptr_t)at % align)
		passage_bad(p, "M3", "memory that is aligned as requested",
			    "an address that is not a multiple of %llu",
			    (unsigned long long)align);
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
