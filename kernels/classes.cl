/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classes.cl - selects the operations that the dtype of this module has.
 * OPS_OF(group) lists the operations of a group, and HAS(group) says whether
 * there are any.  A group has a name such as arith2t: a family of
 * kernels/operations.def, a number of operands, and the type of results.  t is
 * the dtype of the computation, b is bool, and r is the part of a complex
 * number.
 */
#define STORE_t(p, i, v) STORE(p, i, v)
#define STORE_b(p, i, v) ((p)[i] = (uchar)((v) ? 1 : 0))
#define STORE_r(p, i, v) ((p)[i] = (v))
#define TYPE_t T
#define TYPE_b uchar
#define TYPE_r F

#if KIND_B
#define STORE_T(p, i, v) STORE_b(p, i, v)
#endif

#if KIND_B
#define OPS_OF(group) OPS_##group##_b
#define HAS(group) HAS_##group##_b
#elif KIND_I
#define OPS_OF(group) OPS_##group##_i
#define HAS(group) HAS_##group##_i
#elif KIND_U
#define OPS_OF(group) OPS_##group##_u
#define HAS(group) HAS_##group##_u
#elif KIND_F
#define OPS_OF(group) OPS_##group##_f
#define HAS(group) HAS_##group##_f
#else
#define OPS_OF(group) OPS_##group##_c
#define HAS(group) HAS_##group##_c
#endif
