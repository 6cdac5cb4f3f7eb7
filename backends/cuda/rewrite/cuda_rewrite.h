/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_rewrite.h - OpenCL C 1.2 as CUDA C++, for NVRTC.
 *
 * Words are replaced one after the other before the preprocessor runs, in the
 * bodies of macros too.  The prelude defines the new words.  Lines keep their
 * numbers.
 */
#ifndef CUDA_REWRITE_H
#define CUDA_REWRITE_H

#include "cuda_options.h"
#include "cuda_table.h"

struct cuda_rewrite {
	struct cuda_text text; /* CUDA C++, the prelude included */
	struct cuda_text log;
	struct cuda_table table;
	struct cuda_strings strings;
	struct cuda_options options;
	bool contract;       /* a product and a sum may be rounded in one
				step */
	uint32_t image_line; /* the first line that names an image; 0: none */
};

/* Rewrite @source with OpenCL's @options, which may be NULL.  INVALID: it
   cannot be rewritten, and the log says why.  Call cuda_rewrite_free() in any
   case. */
dprp_rc cuda_rewrite_source(struct cuda_rewrite *rewrite, const dprp_host *host,
			    const char *source, size_t size,
			    const char *options);
void cuda_rewrite_free(struct cuda_rewrite *rewrite);

#endif
