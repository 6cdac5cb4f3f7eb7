/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_moves.h - writes the steps of kernels in PTX that only move bits. */
#ifndef ARRAY_PTX_MOVES_H
#define ARRAY_PTX_MOVES_H

#include "core/array/engine/ptx/ptx.h"

/*
 * Write step @i for element @j of the block.  ptx_moves_bits(): a GRAPH_BITS;
 * the bits of its operand become its value.  ptx_moves_where(): a GRAPH_WHERE
 * that chooses between the stored bits of 16-bit floats.  ptx_moves_gather(): a
 * GRAPH_GATHER; the address register of its source has the address of the
 * source's first element.
 */
void ptx_moves_bits(struct ptx *e, int i, int j);
void ptx_moves_where(struct ptx *e, int i, int j);
void ptx_moves_gather(struct ptx *e, int i, int j);

#endif
