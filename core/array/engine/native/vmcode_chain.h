/* SPDX-License-Identifier: Apache-2.0 */
/* vmcode_chain.h - turns cheap instructions of one dtype into chains
   (kernels/vm_chain.h). */
#ifndef ARRAY_VMCODE_CHAIN_H
#define ARRAY_VMCODE_CHAIN_H

#include "core/array/engine/native/vmcode_instructions.h"

/*
 * Make chains of the instructions of @m, if the CPU has the vectors for chains.
 * A chain is a VM_CHAIN and its VM_LINKs.  `out` of the last link is the value
 * of the chain; other links may read x[0] and x[1].
 */
void vmcode_chain_make(struct maker *m);

/* Whether @instruction is the last link of a chain. */
bool vmcode_chain_ends(const struct instruction *instruction);

/* Whether @instruction computes a value: @instruction is a call, or the end of
 * a chain. */
bool vmcode_chain_computes(const struct instruction *instruction);

/* The operand of the link @instruction that can be read as one element; -1:
   there is none. */
int vmcode_chain_one(const struct instruction *instruction);

/* The instruction after which value @x needs no register, if instruction @i is
   its last reader.  A chain reads a bool until the end of the chain: the
   results of a tile are larger than bools, and would overwrite the bools of
   later tiles. */
int vmcode_chain_end_of_read(const struct maker *m, int i,
			     const struct value *x);

/* For tests only: forbid chains, or allow them again. */
void vmcode_chain_forbid(bool forbid);

#endif
