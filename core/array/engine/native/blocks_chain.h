/* SPDX-License-Identifier: Apache-2.0 */
/* blocks_chain.h - cheap orders of one dtype become chains
   (kernels/block_chain.h). */
#ifndef ARRAY_BLOCKS_CHAIN_H
#define ARRAY_BLOCKS_CHAIN_H

#include "core/array/engine/native/blocks_orders.h"

/*
 * Make chains of the orders of @m, if the CPU has the vectors for them.  A
 * chain is a BLOCK_CHAIN and its BLOCK_LINKs: `out` of the last one is the
 * value that it makes, the others may read x[0].
 */
void blocks_chain_make(struct maker *m);

/* Whether @order is the last link of a chain. */
bool blocks_chain_ends(const struct order *order);

/* Tests only: make no chains, or make them again. */
void blocks_chain_forbid(bool forbid);

#endif
