/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_access.h - writes the numbers and the memory accesses of kernels in
 * SPIR-V.
 *
 * A function without a comment does what the function of machine.h with the
 * same name does.
 */
#ifndef ARRAY_SPIRV_ACCESS_H
#define ARRAY_SPIRV_ACCESS_H

#include "core/array/engine/spirv/spirv_steps.h"

uint32_t spirv_access_number(struct spirv_steps *e, uint64_t value);
/* spirv_access_number_type(): the id of the type of numbers, which have 64
   bits.  spirv_access_bool_type(): the id of the type of conditions. */
uint32_t spirv_access_number_type(struct spirv_steps *e);
uint32_t spirv_access_bool_type(struct spirv_steps *e);

/* spirv_access_sum(), spirv_access_product(): the ids of a + b and a * b.
   spirv_access_is_below(): the id of the condition a < b of unsigned numbers.
   */
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

/* Write a load or store of element @index of operand @k.  @part has the ids of
   the element's components. */
void spirv_access_load(struct spirv_steps *e, int k, uint32_t index,
		       uint32_t *part);
void spirv_access_store(struct spirv_steps *e, int k, uint32_t index,
			const uint32_t *part);

void spirv_access_begin(struct spirv_steps *e, uint32_t *at);
void spirv_access_axes(struct spirv_steps *e, int first, uint32_t rest,
		       uint32_t *at);

/* Write a load or store of @n elements of the pack, from element @first on.
   @index is the index, in the operand, of element @first. */
void spirv_access_load_pack(struct spirv_steps *e, struct machine_pack *pack,
			    unsigned first, unsigned n, uint32_t index);
void spirv_access_store_pack(struct spirv_steps *e,
			     const struct machine_pack *pack, unsigned first,
			     unsigned n, uint32_t index);

/* spirv_access_local(): declare an array of @n elements in local memory, and
   return its id.  spirv_access_load_local(), spirv_access_store_local(): write
   a load or store of element @index of @array.  @part has the ids of the
   element's components. */
uint32_t spirv_access_local(struct spirv_steps *e, unsigned dtype, unsigned n);
void spirv_access_load_local(struct spirv_steps *e, unsigned dtype,
			     uint32_t array, uint32_t index, uint32_t *part);
void spirv_access_store_local(struct spirv_steps *e, unsigned dtype,
			      uint32_t array, uint32_t index,
			      const uint32_t *part);

#endif
