/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classes.cl - selects the operations that the dtype of this module has.
 * OPS_OF(group) lists the operations of a group, and HAS(group) says whether
 * there are any.  The name of a group, such as arith2t, has three parts: a
 * family of kernels/operations.def, the number of operands, and a letter.  The
 * letter stands for the type of results: t for the dtype of the computation, b
 * for bool, and r for the type of a part of a complex number.
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
