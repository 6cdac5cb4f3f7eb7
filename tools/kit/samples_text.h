/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples_text.h - the kernels of dpr check-plugin as text.  make_spirv.sh
 * makes samples_spirv.h of the OpenCL C; samples.c has them as native code, and
 * says what each does.
 */
#ifndef TOOLS_SAMPLES_TEXT_H
#define TOOLS_SAMPLES_TEXT_H

/* clang-format off */
static const char samples_opencl_c[] =
	"kernel void add_one(global int *x, ulong n)\n"
	"{ size_t i = get_global_id(0); if (i < n) x[i]++; }\n"
	"kernel void axpy(float a, global const float *x, global float *y,\n"
	"    ulong n)\n"
	"{ size_t i = get_global_id(0); if (i < n) y[i] += a * x[i]; }\n"
	"kernel void copy(global int *to, global const int *from, ulong n)\n"
	"{ size_t i = get_global_id(0); if (i < n) to[i] = from[i]; }\n"
	"kernel void local_sum(global int *out, global const int *x,\n"
	"    local int *tmp, ulong n)\n"
	"{ if (get_global_id(0)) return; tmp[0] = 0;\n"
	"  for (ulong i = 0; i < n; i++) tmp[0] += x[i]; out[0] = tmp[0]; }\n"
	"kernel void spin(global int *x, ulong n)\n"
	"{ if (get_global_id(0)) return; uint v = x[0];\n"
	"  for (ulong i = 0; i < n; i++) v = v * 1664525u + (uint)i;\n"
	"  x[0] = v; }\n"
	"struct store { long index; int value, pad; };\n"
	"kernel void store(global int *x, struct store s)\n"
	"{ if (get_global_id(0) == 0) x[s.index] = s.value; }\n"
	"kernel void visit(global int *x, ulong w, ulong h, ulong d)\n"
	"{ ulong i = get_global_id(0), k = get_global_id(1),\n"
	"    l = get_global_id(2);\n"
	"  if (i < w && k < h && l < d) x[(l * h + k) * w + i]++; }\n";

#define ID(axis) \
	"	mov.u32 %r1, %ctaid." axis ";\n" \
	"	mov.u32 %r2, %ntid." axis ";\n" \
	"	mov.u32 %r3, %tid." axis ";\n" \
	"	mad.lo.u32 %r4, %r1, %r2, %r3;\n"
#define INDEX \
	ID("x") \
	"	cvt.u64.u32 %i, %r4;\n" \
	"	setp.ge.u64 %p, %i, %n;\n" \
	"	@%p bra DONE;\n" \
	"	shl.b64 %i4, %i, 2;\n"
#define BEGIN \
	"{\n" \
	"	.reg .pred %p;\n" \
	"	.reg .b32 %r<8>;\n" \
	"	.reg .f32 %f<4>;\n" \
	"	.reg .b64 %i, %i4, %n, %x, %y, %k, %l, %w, %h, %d;\n"
#define END "DONE:\n	ret;\n}\n"
#define POINTER(name) ".param .u64 .ptr .global .align 4 " name

/* All of them but local_sum: PTX has no local memory as an argument. */
static const char samples_ptx[] =
	".version 6.0\n.target sm_60\n.address_size 64\n"
	".visible .entry add_one(" POINTER("x") ", .param .u64 n)\n" BEGIN
	"	ld.param.u64 %x, [x];\n"
	"	ld.param.u64 %n, [n];\n" INDEX
	"	add.u64 %x, %x, %i4;\n"
	"	ld.global.u32 %r5, [%x];\n"
	"	add.u32 %r5, %r5, 1;\n"
	"	st.global.u32 [%x], %r5;\n" END
	".visible .entry axpy(.param .f32 a, " POINTER("x") ", "
	POINTER("y") ", .param .u64 n)\n" BEGIN
	"	ld.param.u64 %x, [x];\n"
	"	ld.param.u64 %y, [y];\n"
	"	ld.param.u64 %n, [n];\n"
	"	ld.param.f32 %f1, [a];\n" INDEX
	"	add.u64 %x, %x, %i4;\n"
	"	add.u64 %y, %y, %i4;\n"
	"	ld.global.f32 %f2, [%x];\n"
	"	ld.global.f32 %f3, [%y];\n"
	"	fma.rn.f32 %f3, %f1, %f2, %f3;\n"
	"	st.global.f32 [%y], %f3;\n" END
	".visible .entry copy(" POINTER("to") ", " POINTER("from")
	", .param .u64 n)\n" BEGIN
	"	ld.param.u64 %y, [to];\n"
	"	ld.param.u64 %x, [from];\n"
	"	ld.param.u64 %n, [n];\n" INDEX
	"	add.u64 %x, %x, %i4;\n"
	"	add.u64 %y, %y, %i4;\n"
	"	ld.global.u32 %r5, [%x];\n"
	"	st.global.u32 [%y], %r5;\n" END
	".visible .entry spin(" POINTER("x") ", .param .u64 n)\n" BEGIN
	"	mov.u64 %n, 1;\n" INDEX
	"	ld.param.u64 %x, [x];\n"
	"	ld.param.u64 %n, [n];\n"
	"	ld.global.u32 %r5, [%x];\n"
	"	mov.u64 %i, 0;\n"
	"NEXT:\n"
	"	setp.ge.u64 %p, %i, %n;\n"
	"	@%p bra LAST;\n"
	"	cvt.u32.u64 %r6, %i;\n"
	"	mad.lo.u32 %r5, %r5, 1664525, %r6;\n"
	"	add.u64 %i, %i, 1;\n"
	"	bra NEXT;\n"
	"LAST:\n"
	"	st.global.u32 [%x], %r5;\n" END
	".visible .entry store(" POINTER("x") ", .param .align 8 .b8 s[16])\n"
	BEGIN
	"	mov.u64 %n, 1;\n" INDEX
	"	ld.param.u64 %x, [x];\n"
	"	ld.param.u64 %y, [s];\n"
	"	ld.param.u32 %r5, [s+8];\n"
	"	shl.b64 %y, %y, 2;\n"
	"	add.u64 %x, %x, %y;\n"
	"	st.global.u32 [%x], %r5;\n" END
	".visible .entry visit(" POINTER("x") ", .param .u64 w, .param .u64 h, "
	".param .u64 d)\n" BEGIN
	"	ld.param.u64 %x, [x];\n"
	"	ld.param.u64 %w, [w];\n"
	"	ld.param.u64 %h, [h];\n"
	"	ld.param.u64 %d, [d];\n" ID("x")
	"	cvt.u64.u32 %i, %r4;\n" ID("y")
	"	cvt.u64.u32 %k, %r4;\n" ID("z")
	"	cvt.u64.u32 %l, %r4;\n"
	"	setp.ge.u64 %p, %i, %w;\n"
	"	@%p bra DONE;\n"
	"	setp.ge.u64 %p, %k, %h;\n"
	"	@%p bra DONE;\n"
	"	setp.ge.u64 %p, %l, %d;\n"
	"	@%p bra DONE;\n"
	"	mad.lo.u64 %l, %l, %h, %k;\n"
	"	mad.lo.u64 %l, %l, %w, %i;\n"
	"	shl.b64 %l, %l, 2;\n"
	"	add.u64 %x, %x, %l;\n"
	"	ld.global.u32 %r5, [%x];\n"
	"	add.u32 %r5, %r5, 1;\n"
	"	st.global.u32 [%x], %r5;\n" END;

#undef ID
#undef INDEX
#undef BEGIN
#undef END
#undef POINTER
/* clang-format on */

#endif
