/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_signature.h - the kernels of a source in OpenCL C: their table, and how
   they are declared in CUDA C++. */
#ifndef CUDA_SIGNATURE_H
#define CUDA_SIGNATURE_H

#include "cuda_table.h"
#include "cuda_words.h"

/* A source that is being rewritten. */
struct cuda_source {
	struct cuda_strings strings;
	struct cuda_tokens tokens;
	struct cuda_names names;
	struct cuda_table *table;
	struct cuda_text *log;
	bool refused;   /* the log says why */
	bool single;    /* constants without a suffix are float */
	bool loose_sum; /* a product and a sum may be rounded in one step */
	uint32_t image; /* the first line with an image; 0: none */
	uint32_t lines_before; /* lines of the text before the source */
};

/* Rewrite the declaration of the kernel whose word `kernel` is token @at, and
   add the kernel to the table.  All other words have been rewritten. */
void cuda_signature_kernel(struct cuda_source *source, size_t at);
/* Report an error in a line of the source. */
void cuda_signature_refuse(struct cuda_source *source, uint32_t line,
			   const char *text);

#endif
