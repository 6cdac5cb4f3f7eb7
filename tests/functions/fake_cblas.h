/* SPDX-License-Identifier: Apache-2.0 */
/* fake_cblas.h - what fake_cblas.c remembers, and how it ends a process. */
#ifndef TESTS_FAKE_CBLAS_H
#define TESTS_FAKE_CBLAS_H

#include <stdatomic.h>
#include <stdint.h>

#define FAKE_EXPORT __attribute__((visibility("default")))

/* calls: how many there were; faults: how many of them had wrong arguments. The
   other members are those of the last call. */
struct fake_cblas {
	atomic_int calls, faults, a_transposed, b_transposed, threads;
	_Atomic int64_t lda, ldb;
};

/* The exit status of a process that ends while a product is computed. */
#define FAKE_ENDED_EARLY 99

extern FAKE_EXPORT struct fake_cblas fake_cblas;

#endif
