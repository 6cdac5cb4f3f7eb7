/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_clblast.h - a library in place of CLBlast, and its control.  It reads
 * the matrices from their buffers by the given queue, computes in plain loops,
 * and writes the products.  The library is strict: forbidden calls are counted.
 */
#ifndef TESTS_OPENCL_FAKE_CLBLAST_H
#define TESTS_OPENCL_FAKE_CLBLAST_H

#include <stdatomic.h>
#include <stdint.h>

#define FAKE_CLBLAST_SYMBOL "fake_clblast"

/* The library exports one of these. */
struct fake_clblast {
	/* The @after-th call (from 1) returns @result; 0: none. */
	int result;
	atomic_int after;

	/* A record of the calls. */
	atomic_int products;       /* calls for a product */
	atomic_int clears;         /* calls of CLBlastClearCache() */
	atomic_int faults;         /* misuses */
	const char *_Atomic fault; /* the text of one */
};

#endif
