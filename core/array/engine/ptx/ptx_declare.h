/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_declare.h - declares the registers of kernels in PTX, and loads their
   scalars. */
#ifndef ARRAY_PTX_DECLARE_H
#define ARRAY_PTX_DECLARE_H

#include "core/array/engine/ptx/ptx.h"

/* Declare the registers of all cells (ptx.h) and of the values of all steps. */
void ptx_declare_registers(struct ptx *e);

/* Write loads of the scalars from the kernel's words (schedule.h). */
void ptx_declare_scalars(struct ptx *e);

#endif
