/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_access.h - writes the numbers and the memory accesses of kernels in
 * SPIR-V.
 *
 * A function without a comment is the operation of machine.h with the same
 * name.
 */
#ifndef ARRAY_SPIRV_ACCESS_H
#define ARRAY_SPIRV_ACCESS_H

#include "core/array/engine/spirv/spirv_steps.h"

uint32_t spirv_access_number(struct spirv_steps *e, uint64_t value);
uint32_t spirv_access_number_type(struct spirv_steps *e);
uint32_t spirv_access_bool_type(struct spirv_steps *e);

/* These compute a + b, a * b, and whether a is less than b. */
uint32_t spirv_access_sum(struct spirv_steps *e, uint32_t a, uint32_t b);
uint32_t spirv_access_product(struct spirv_steps *e, uint32_t a, uint32_t b);
uint32_t spirv_access_is_below(struct spirv_steps *e, uint32_t a, uint32_t b);
uint32_t spirv_access_choose(struct spirv_steps *e, uint32_t condition,
			     uint32_t then, uint32_t otherwise);

uint32_t spirv_access_split(struct spirv_steps *e, bool small, uint32_t *rest,
			    uint32_t n);
uint32_t spirv_access_id(struct spirv_steps *e, enum machine_id which);

/* The size of an element of operand @k, in bytes. */
size_t spirv_access_size(const struct spirv_steps *e, int k);

/* Load or store the components of an element. */
void spirv_access_load(struct spirv_steps *e, int k, uint32_t index,
		       uint32_t *part);
void spirv_access_store(struct spirv_steps *e, int k, uint32_t index,
			const uint32_t *part);

void spirv_access_begin(struct spirv_steps *e, uint32_t *at);
void spirv_access_axes(struct spirv_steps *e, int first, uint32_t rest,
		       uint32_t *at);

/* Load or store @n elements of the pack, from element @first on. */
void spirv_access_load_pack(struct spirv_steps *e, struct machine_pack *pack,
			    unsigned first, unsigned n, uint32_t index);
void spirv_access_store_pack(struct spirv_steps *e,
			     const struct machine_pack *pack, unsigned first,
			     unsigned n, uint32_t index);

/* spirv_access_local(): declare an array of @n elements in local memory.  The
   two functions after it load and store elements of this array. */
uint32_t spirv_access_local(struct spirv_steps *e, unsigned dtype, unsigned n);
void spirv_access_load_local(struct spirv_steps *e, unsigned dtype,
			     uint32_t array, uint32_t index, uint32_t *part);
void spirv_access_store_local(struct spirv_steps *e, unsigned dtype,
			      uint32_t array, uint32_t index,
			      const uint32_t *part);

#endif
