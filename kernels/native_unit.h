/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_unit.h - compiles the .cl files as C.
 *
 * ops.awk writes operations.cl from operations.def: a case for each operation.
 * vm.cl puts the loop around each case.
 *
 * kernels/native-source.sh writes the C files that include this header.  They
 * first define NATIVE_UNIT, and the dtype or the size of an element:
 *
 *   NATIVE_UNIT 1  the functions of a dtype, except casts to double
 *   NATIVE_UNIT 2  casts to double
 *   NATIVE_UNIT 3  moves of elements of one size
 */
#include "kernels/vm.h"
#include "kernels/native.h"
#ifdef NATIVE_HALVES
#include "kernels/vm_half.h"
#endif

#include "kernels/types.cl"
#include "kernels/math.cl"
#include "kernels/elementary.cl"
#include "kernels/gamma.cl"
#include "kernels/complex.cl"
#include "kernels/complex_inverse.cl"
#if NATIVE_UNIT == 1
#include "kernels/operations.cl"
#include "kernels/classes.cl"
#include "kernels/convert.cl"
#elif NATIVE_UNIT == 2
#include "kernels/convert.cl"
#else
#define TRANSPOSE_ITEM DPR_ITEM
#include "kernels/transpose.cl"
#endif
#include "kernels/vm.cl"
#if NATIVE_UNIT == 1 && DPR_DTYPE != 10 && DPR_DTYPE != 11
#define HAS_REDUCE 1
#if DPR_DTYPE == 1
/* Sums, minima and maxima of bools are computed as uint8, where each true byte
   is 1. */
#undef KIND_U
#define KIND_U 1
#undef LOAD
#define LOAD(p, i) ((C)((p)[i] != 0))
#endif
#include "kernels/reduce.cl"
#endif

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

/* Define the pointer by which kernels/vm_tables.c reaches a function of
   kernels/vm.cl. */
#define BLOCKS(NAME, KIND, TYPE)                          \
	extern KIND *const PASTE(native_##NAME##_, TYPE); \
	KIND *const PASTE(native_##NAME##_, TYPE) = NAME;

#if NATIVE_UNIT == 1
#if DPR_DTYPE != 10 && DPR_DTYPE != 11
BLOCKS(vm_operation, vm_function, DPR_DTYPE)
#if HAS(math1t) || HAS(math2t)
BLOCKS(vm_math, vm_function, DPR_DTYPE)
#endif
#endif
BLOCKS(vm_cast, vm_function, DPR_DTYPE)
#ifdef HAS_REDUCE
BLOCKS(vm_reduce, vm_reducer, DPR_DTYPE)
#endif
#elif NATIVE_UNIT == 2
#define vm_cast64 vm_cast
BLOCKS(vm_cast64, vm_function, DPR_DTYPE)
#else
BLOCKS(vm_move, vm_function, DPR_ITEM)
BLOCKS(vm_mover_rows, vm_mover, DPR_ITEM)
BLOCKS(vm_mover_lines, vm_mover, DPR_ITEM)
#endif
