/* SPDX-License-Identifier: Apache-2.0 */
/* emit_chunk.h - storing results past the caches, in OpenCL C. */
#ifndef ARRAY_EMIT_CHUNK_H
#define ARRAY_EMIT_CHUNK_H

#include "core/array/engine/text/emit_steps.h"

/* Store @n elements of result @k past the caches, from element @begin on. */
void emit_chunk_stream(const struct emission *e, int k, const char *begin,
		       int n);

/* How many elements are whole lines of each result. */
int emit_chunk_lines(const struct emission *e);

#endif
