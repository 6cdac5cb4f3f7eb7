/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_ptx.h - reading the kernels and the rounding of PTX. */
#ifndef CUDA_PTX_H
#define CUDA_PTX_H

#include "cuda_table.h"

/* Collect the kernels of a module, with the sizes of their parameters and their
   required work-groups.  Returns false if memory runs out. */
bool cuda_ptx_kernels(const char *text, size_t size, struct cuda_table *table);
/* Whether all float32 divisions and square roots are rounded correctly: each
   instruction of PTX says how it rounds.  If not, *@what is the name of the
   first one that is not rounded correctly. */
bool cuda_ptx_is_rounded(const char *text, size_t size, const char **what);

#endif
