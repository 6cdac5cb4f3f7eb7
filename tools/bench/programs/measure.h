/* SPDX-License-Identifier: Apache-2.0 */
/* measure.h - the programs of the program "measure". */
#ifndef TOOLS_BENCH_MEASURE_PROGRAMS_H
#define TOOLS_BENCH_MEASURE_PROGRAMS_H

/* X(name, what it measures) */
#define MEASURE_PROGRAMS(X)                                                    \
	X(by_hand, "expressions on an OpenCL device beside kernels by hand")   \
	X(by_indices, "dpr_take() and dpr_put() on a CPU beside loops in C")   \
	X(factors_cusolver, "solve, cholesky, eigh and svd beside cuSOLVER")   \
	X(fused, "expressions beside a loop in C and calls of functions")      \
	X(heat_by_hand,                                                        \
	  "a step of heat beside a loop in C and a kernel by hand")            \
	X(linalg_by_hand, "linear algebra on the host beside LAPACK")          \
	X(native_images, "a program's own kernels on a CPU beside loops in C") \
	X(products, "products of matrices on the host beside a CBLAS")         \
	X(products_cublas,                                                     \
	  "products of matrices on an NVIDIA GPU beside cuBLAS")               \
	X(reduced, "reductions, of expressions too, beside a copy")            \
	X(rows, "expressions that reduce rows beside a loop in C")             \
	X(rows_by_hand, "expressions that reduce rows beside kernels by hand") \
	X(trace_cost, "what the layer \"trace\" costs while it is off")        \
	X(transfers, "copies between two devices beside memcpy()")             \
	X(turns, "heavy expressions on several devices in turns")              \
	X(vector_functions, "functions on the CPU beside glibc's libmvec")

/* Run a program: argv[0] is its name.  Returns the exit status: 0; 1 after a
   failure; 2 for a wrong command line; 77 where something is missing. */
#define MEASURE__X(name, text) int name##_main(int argc, char **argv);
MEASURE_PROGRAMS(MEASURE__X)
#undef MEASURE__X

#endif
