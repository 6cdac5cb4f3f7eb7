/* SPDX-License-Identifier: Apache-2.0 */
/* mock_reduce.h - the kernels of the mock that reduce: each is a function
   mock_reduce_NAME of mock_reduce.c, for the kernel reduce_NAME. */
#ifndef MOCK_REDUCE_H
#define MOCK_REDUCE_H

#include "tests/plugins/mock/mock_impl.h"

/* X(OPERATION, DTYPE): the dtypes that every operation takes, and those of
   complex numbers. */
/* clang-format off */
#define MOCK_REDUCE_REAL(X, op)                                         \
	X(op, bool) X(op, int8) X(op, int16) X(op, int32) X(op, int64) \
	X(op, uint8) X(op, uint16) X(op, uint32) X(op, uint64)         \
	X(op, float16) X(op, bfloat16) X(op, float32) X(op, float64)
#define MOCK_REDUCE_COMPLEX(X, op) X(op, complex64) X(op, complex128)
#define MOCK_REDUCE_MAP(X)                                  \
	MOCK_REDUCE_REAL(X, sum) MOCK_REDUCE_COMPLEX(X, sum) \
	MOCK_REDUCE_REAL(X, prod) MOCK_REDUCE_COMPLEX(X, prod) \
	MOCK_REDUCE_REAL(X, min) MOCK_REDUCE_REAL(X, max)    \
	MOCK_REDUCE_REAL(X, any) MOCK_REDUCE_COMPLEX(X, any) \
	MOCK_REDUCE_REAL(X, all) MOCK_REDUCE_COMPLEX(X, all)
/* clang-format on */

#define MOCK_REDUCE__X(op, dtype)                                    \
	dprp_rc mock_reduce_##op##_##dtype(const uint64_t global[3], \
					   void *const *args);
MOCK_REDUCE_MAP(MOCK_REDUCE__X)
#undef MOCK_REDUCE__X

#define MOCK_REDUCE_WORDS 34

#endif
