/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vmcode_chain.h - turns cheap instructions of one dtype into chains.
 *
 * A chain computes several operations in one step of the program, and holds
 * their values in vector registers.  Each operation is a link of the chain
 * (kernels/vm_chain.h).
 */
#ifndef ARRAY_VMCODE_CHAIN_H
#define ARRAY_VMCODE_CHAIN_H

#include "core/array/engine/native/vmcode_instructions.h"

/*
 * Make chains of the instructions of @m, if the CPU has the vector instructions
 * that chains need.  A chain is a VM_CHAIN instruction, followed by a VM_LINK
 * for each link.  The last link stores the value of the chain: `out` is this
 * value, and the link has no operands.  Any other link has no `out`, and up to
 * two operands.
 */
void vmcode_chain_make(struct maker *m);

/* Whether @instruction is the last link of a chain. */
bool vmcode_chain_ends(const struct instruction *instruction);

/* Whether @instruction writes a computed value to a slot: it is a call, or the
   last link of a chain. */
bool vmcode_chain_computes(const struct instruction *instruction);

/* The operand, 0 or 1, of which the link @instruction can read a single element
   in place of all elements.  -1: the link has no operand of this kind. */
int vmcode_chain_one(const struct instruction *instruction);

/* The instruction after which the register of @x is free.  Instruction @i is
   the last that reads @x.  Usually the register is free after instruction @i
   itself.  But if @x is a bool and @i is a link, the register is needed until
   the end of the chain.  A chain computes a block in tiles, and its value has
   larger elements than a bool.  So storing a tile of the value would overwrite
   the bools of later tiles. */
int vmcode_chain_end_of_read(const struct maker *m, int i,
			     const struct vmcode_value *x);

/* For tests only: forbid chains, or allow them again. */
void vmcode_chain_forbid(bool forbid);

#endif
