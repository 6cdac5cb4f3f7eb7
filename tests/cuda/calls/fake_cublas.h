/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_cublas.h - a library in place of cuBLAS and cuSOLVER, and its control.
 * The library computes in plain loops, in the streams of the mock driver.  It is
 * strict: forbidden calls are counted.
 */
#ifndef TESTS_CUDA_FAKE_CUBLAS_H
#define TESTS_CUDA_FAKE_CUBLAS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_CUBLAS_SYMBOL "fake_cublas"

/* The library exports one of these. */
struct fake_cublas {
	int version[3], solver_version[3];
	/* Bytes by which cuSOLVER's workspaces are larger. */
	size_t more_device, more_host;
	/* The entry of this name returns @result; NULL: none fails.  The
	   @after-th call (from 1) that may fail returns @result; 0: none. */
	const char *fail;
	int result;
	atomic_int after;

	/* A record of the calls. */
	const char *failed;        /* the entry that @after made to fail */
	atomic_int handles;        /* made and not destroyed */
	atomic_int made;           /* all of cuBLAS that were made */
	atomic_int solvers;        /* all of cuSOLVER */
	atomic_int params, jacobi; /* of cuSOLVER, not destroyed */
	atomic_int batch_calls;    /* that solve or factor a batch */
	atomic_int singles;        /* calls of cuSOLVER for one matrix */
	atomic_int products;       /* calls of cublasGemmEx */
	atomic_int batches;        /* of cublasGemmStridedBatchedEx */
	atomic_int wide;           /* calls with integers of 64 bits */
	_Atomic int64_t count;     /* of the products of the last batch */
	atomic_int faults;         /* misuses */
	const char *_Atomic fault; /* the text of one */
};

#endif
