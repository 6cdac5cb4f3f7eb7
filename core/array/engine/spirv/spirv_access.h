/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_access.h - the instructions of kernels that are no steps: which
 * work-item it is, where to go on, and accesses to memory.
 *
 * Numbers are of 64 bits.  An index counts elements.
 */
#ifndef ARRAY_SPIRV_ACCESS_H
#define ARRAY_SPIRV_ACCESS_H

#include "core/array/engine/spirv/spirv_steps.h"

#define SPIRV_ACCESS_PACK 16 /* the most elements of a pack, or components */

/* The components of the elements of a pack. */
struct spirv_access_pack {
	uint32_t part[SPIRV_ACCESS_PACK];
};

uint32_t spirv_access_number(struct spirv_steps *e, uint64_t value);
uint32_t spirv_access_number_type(struct spirv_steps *e);
uint32_t spirv_access_bool_type(struct spirv_steps *e);

/* a + b, a * b, and whether a is less than b. */
uint32_t spirv_access_sum(struct spirv_steps *e, uint32_t a, uint32_t b);
uint32_t spirv_access_product(struct spirv_steps *e, uint32_t a, uint32_t b);
uint32_t spirv_access_is_below(struct spirv_steps *e, uint32_t a, uint32_t b);
uint32_t spirv_access_choose(struct spirv_steps *e, uint32_t condition,
			     uint32_t then, uint32_t otherwise);

/* Split number @*rest into the place along an axis of @n, and what is left.
   @small: all are less than 2^31; division of 64 bits is slow. */
uint32_t spirv_access_split(struct spirv_steps *e, bool small, uint32_t *rest,
			    uint32_t n);

/* The number of the work-item among all, of its group, and among those of its
   group.  A kernel asks for at most SPIRV_STEPS_BUILT_IN of them, each once. */
uint32_t spirv_access_global_id(struct spirv_steps *e);
uint32_t spirv_access_group_id(struct spirv_steps *e);
uint32_t spirv_access_local_id(struct spirv_steps *e);

void spirv_access_label(struct spirv_steps *e, uint32_t id);
void spirv_access_branch(struct spirv_steps *e, uint32_t to);
void spirv_access_branch_if(struct spirv_steps *e, uint32_t condition,
			    uint32_t then, uint32_t otherwise);
void spirv_access_leave(struct spirv_steps *e);

/* The dtype of operand @k, and the size of an element. */
unsigned spirv_access_dtype(const struct spirv_steps *e, int k);
size_t spirv_access_size(const struct spirv_steps *e, int k);

/* The components of element @index of operand @k; without memory that is
 * @index.
 */
void spirv_access_load(struct spirv_steps *e, int k, uint32_t index,
		       uint32_t *part);
void spirv_access_store(struct spirv_steps *e, int k, uint32_t index,
			const uint32_t *part);

/* Let the operands' indices @at begin at their offsets.  Add to them the way to
   number @rest along axis @first and those outside of it. */
void spirv_access_begin(struct spirv_steps *e, uint32_t *at);
void spirv_access_axes(struct spirv_steps *e, int first, uint32_t rest,
		       uint32_t *at);

/* The stride of operand @k along axis @d. */
uint32_t spirv_access_stride(struct spirv_steps *e, int k, int d);

/* @n elements side by side, from element @index on, in one access, which is
   aligned to all of their bytes. */
void spirv_access_load_pack(struct spirv_steps *e, int k, unsigned n,
			    uint32_t index, struct spirv_access_pack *pack);
void spirv_access_store_pack(struct spirv_steps *e, int k, unsigned n,
			     uint32_t index,
			     const struct spirv_access_pack *pack);

/* Make @n elements in local memory, and access them. */
uint32_t spirv_access_local(struct spirv_steps *e, unsigned dtype, unsigned n);
void spirv_access_load_local(struct spirv_steps *e, unsigned dtype,
			     uint32_t array, uint32_t index, uint32_t *part);
void spirv_access_store_local(struct spirv_steps *e, unsigned dtype,
			      uint32_t array, uint32_t index,
			      const uint32_t *part);

/* Wait for the group's other work-items, and what they have stored there. */
void spirv_access_barrier(struct spirv_steps *e);

#endif
