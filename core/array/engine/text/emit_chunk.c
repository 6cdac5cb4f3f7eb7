/* SPDX-License-Identifier: Apache-2.0 */
/* emit_chunk.c - storing results past the caches. */
#include "core/array/engine/text/emit_chunk.h"

#include <dpr/dtype.h>

#define ADD(e, ...) EMIT_STEPS(e, __VA_ARGS__)

/* The bytes that are stored without a loop. */
#define MOST_UNROLLED 512

static size_t stored_size(const struct emission *e, int k)
{
	return dpr_dtype_size((dpr_dtype)frame_operand(e->graph, k));
}

void emit_chunk_stream(const struct emission *e, char pointer, int k,
		       const char *begin, int n)
{
	const size_t bytes = (size_t)n * stored_size(e, k);

	ADD(e,
	    "\t{ global STREAM_UNIT *to = (global STREAM_UNIT *)(%c%d + %s);\n"
	    "\t%s for (int i = 0; i < CHUNK_UNITS(%zu); i++)\n"
	    "\t\tSTREAM(chunk%d.unit[i], to + i); }\n",
	    pointer, k, begin, bytes <= MOST_UNROLLED ? "UNROLL" : "", bytes,
	    k);
}

int emit_chunk_lines(const struct emission *e)
{
	size_t least = FRAME_STREAM_LINE;

	for (int k = 0; k < e->graph->n_results; k++)
		if (stored_size(e, k) < least)
			least = stored_size(e, k);
	return (int)(FRAME_STREAM_LINE / least);
}
