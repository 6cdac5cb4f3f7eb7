/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_pack.h - writes the steps of a pack in PTX. */
#ifndef ARRAY_PTX_PACK_H
#define ARRAY_PTX_PACK_H

#include "core/array/engine/ptx/ptx.h"

/* Write all steps for the pack, from the cells of the inputs to the cells of
   the results. */
void ptx_pack_steps(struct ptx *e);

#endif
