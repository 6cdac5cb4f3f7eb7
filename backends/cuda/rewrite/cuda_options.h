/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_options.h - the options of OpenCL's compiler. */
#ifndef CUDA_OPTIONS_H
#define CUDA_OPTIONS_H

#include "cuda_strings.h"
#include "cuda_text.h"

struct cuda_options {
	struct cuda_text defines; /* #define and #undef, a line each */
	const char **include;     /* --include-path=..., for NVRTC */
	unsigned n_include;
	unsigned version;    /* 120 is OpenCL C 1.2 */
	bool fast;           /* -cl-fast-relaxed-math */
	bool rounded;        /* -cl-fp32-correctly-rounded-divide-sqrt */
	bool unsafe;         /* -cl-unsafe-math-optimizations */
	bool zero_denormals; /* -cl-denorms-are-zero */
	bool single;         /* -cl-single-precision-constant */
	bool lines;          /* -g */
	bool quiet;          /* -w */
};

/* Read the options @given, which may be NULL.  If one is unknown or wrong, adds
   a line about it to @log and returns false; returns false without memory,
   too. */
bool cuda_options_read(struct cuda_strings *strings, const char *given,
		       struct cuda_text *log, struct cuda_options *out);

#endif
