/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_nvrtc.h - a library in place of NVIDIA's compiler, and its control.  It
 * compiles nothing.  It returns the code that the test has set, and keeps the
 * options of each call.  The real compiler cannot be used with the mock driver.
 */
#ifndef TESTS_CUDA_FAKE_NVRTC_H
#define TESTS_CUDA_FAKE_NVRTC_H

#include <stddef.h>

#define FAKE_NVRTC_SYMBOL "fake_nvrtc"

/* The library exports one of these. */
struct fake_nvrtc {
	int major, minor;
	int archs[8], n_archs; /* 90 is sm_90 */
	/* The entry of this name returns @result; NULL: none fails. */
	const char *fail;
	int result;
	const char *log; /* of each compilation */
	const void *cubin;
	size_t cubin_size;
	const char *ptx;

	/* A record of the calls. */
	char options[2048]; /* options of the last compilation, a line each */
	int cubins, ptxs;   /* how often each kind of code was taken */
	int programs;       /* made and not destroyed */
};

#endif
