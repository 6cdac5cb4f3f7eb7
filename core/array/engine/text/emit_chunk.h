/* SPDX-License-Identifier: Apache-2.0 */
/* emit_chunk.h - storing results past the caches, in OpenCL C. */
#ifndef ARRAY_EMIT_CHUNK_H
#define ARRAY_EMIT_CHUNK_H

#include "core/array/engine/text/emit_steps.h"

/* Store chunk @k, of @n elements, past the caches: from element @begin of the
   pointer with the letter @pointer on. */
void emit_chunk_stream(const struct emission *e, char pointer, int k,
		       const char *begin, int n);

/* How many elements are whole lines of each result. */
int emit_chunk_lines(const struct emission *e);

#endif
