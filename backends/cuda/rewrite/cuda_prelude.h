/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_prelude.h - the text of the files prelude_*.cuh, without comments. */
#ifndef CUDA_PRELUDE_H
#define CUDA_PRELUDE_H

extern const char cuda_prelude[];

#endif
