/* SPDX-License-Identifier: Apache-2.0 */
/* unit_cuda_rewrite.c - rewriting OpenCL C to CUDA C++: the text, the table of
   kernels, and that NVRTC accepts the text and finds every kernel in it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/rewrite/cuda_lexer.h"
#include "backends/cuda/rewrite/cuda_rewrite.h"
#include "nvrtc.h"
#include "tests/support/backend_host_table.h"

static struct host_table *table;
static const dprp_host *host;
static bool has_nvrtc;

static void setup(void)
{
	table = host_table_new();
	host = host_table_host(table);
	has_nvrtc = nvrtc_open();
}

static void teardown(void)
{
	host_table_free(table);
}

/* Write the table as text: "name:M8 V4 L0 ?0;", with the required size in
   brackets, and a ! if a macro may have hidden something. */
static void describe(const struct cuda_table *from, char *to, size_t size)
{
	size_t at = 0;

	to[0] = '\0';
	for (uint32_t i = 0; i < from->n; i++) {
		const struct cuda_table_kernel *kernel = &from->list[i];

		at += (size_t)snprintf(to + at, size - at,
				       "%s%s:", kernel->name,
				       kernel->certain ? "" : "!");
		if (kernel->required[0])
			at += (size_t)snprintf(to + at, size - at, "[%d,%d,%d]",
					       (int)kernel->required[0],
					       (int)kernel->required[1],
					       (int)kernel->required[2]);
		for (uint32_t j = 0; j < kernel->n_params; j++)
			at += (size_t)snprintf(to + at, size - at, " %c%d",
					       "?VML"[kernel->params[j].kind],
					       (int)kernel -> params[j].size);
		at += (size_t)snprintf(to + at, size - at, ";");
		ck_assert(at < size);
	}
}

/* Whether a cubin contains a kernel's code. */
static bool has_kernel(const char *cubin, size_t size, const char *name)
{
	char section[256];

	snprintf(section, sizeof(section), ".text.%s", name);
	return memmem(cubin, size, section, strlen(section) + 1) != NULL;
}

/* Compile the result, if NVRTC is installed. */
static void compile(const struct cuda_rewrite *rewrite, const char *source,
		    const char *const *names)
{
	const char *sanitizers = getenv("dpr_sanitizers");
	char *cubin, *log;
	size_t size = 0;
	bool ok;

	/* A sanitizer sees nothing of NVRTC, and makes it slow. */
	if (!has_nvrtc || (sanitizers && strcmp(sanitizers, "none") != 0))
		return;
	ok = nvrtc_compile(rewrite->text.bytes, &cubin, &size, &log);
	ck_assert_msg(ok, "%s\n--- of\n%s", log ? log : "no log", source);
	for (uint32_t i = 0; i < rewrite->table.n; i++)
		ck_assert_msg(
			has_kernel(cubin, size, rewrite->table.list[i].name),
			"no kernel %s of\n%s", rewrite->table.list[i].name,
			source);
	for (; names && *names; names++)
		ck_assert_msg(has_kernel(cubin, size, *names),
			      "no kernel %s of\n%s", *names, source);
	free(cubin);
	free(log);
}

/* --- One source per feature ----------------------------------------------- */

static const struct {
	const char *source, *options, *table;
} features[] = {
	{ "kernel void a(void) {} __kernel void b() {}", NULL, "a:;b:;" },
	{ "__kernel void k(__global int *x, __constant float *y,\n"
	  "  __local double *z, __private int n, global const uchar *restrict w)"
	  "{ z[0] = y[0]; x[n] = (int)z[0] + w[0]; }",
	  NULL, "k: M8 M8 L0 V4 M8;" },
	{ "typedef struct { float a; } pair; struct tag { long x[3]; };\n"
	  "typedef global int *pointer; enum e { E };\n"
	  "kernel void k(pair p, struct tag t, pointer q, float3 v, enum e f,\n"
	  "  unsigned n, unsigned char c, long int l, size_t s)\n"
	  "{ q[0] = (int)(p.a + t.x[1] + v.z + f + n + c + l + s); }",
	  NULL, "k: V0 V0 ?0 V16 V0 V4 V1 V8 V8;" },
	{ "kernel void k(NUMBER n, global NUMBER *x) { x[0] = n; }",
	  "-DNUMBER=long", "k!: ?0 ?0;" },
	{ "#define ARGS global int *x, int n\n"
	  "kernel void k(ARGS) { x[0] = n; }",
	  NULL, "k: M8 V4;" },
	{ "kernel void k(global int *x);\n"
	  "kernel void k(global int *x) { x[0] = 1; }",
	  NULL, "k: M8;" },
	{ "#ifdef A\nkernel void k(int n) {}\n#else\n"
	  "kernel void k(global int *n) {}\n#endif",
	  NULL, "k: ?0;" },
	/* Local memory: variables, parameters in two forms, helpers. */
	{ "static void put(local int *p, int v) { *p = v; }\n"
	  "kernel void k(local int *a, local float4 b[], local int (*c)[4],\n"
	  "  global int *x) { local int own[4][4], one; local int *p = own[1];\n"
	  "  put(a + 1, 2); put(&one, 3); p++; *p = one; c[1][2] = 3;\n"
	  "  b[0].x = 1; a++; barrier(CLK_LOCAL_MEM_FENCE);\n"
	  "  x[0] = a[0] + own[1][1] + (int)b[0].x + c[1][2] + (int)sizeof(own);\n"
	  "}",
	  NULL, "k: L0 L0 L0 M8;" },
	/* Constants in the file, in a function, and through pointers. */
	{ "constant float t[2][2] = { { 1, 2 }, { 3, 4 } };\n"
	  "__constant int one = 1; constant float4 v = (float4)(1, 2, 3, 4);\n"
	  "float get(constant float *p) { return p[1]; }\n"
	  "kernel void k(global float *x) { constant float *q = t[1];\n"
	  "  x[0] = get(t[0]) + q[0] + one + v.w; }",
	  NULL, "k: M8;" },
	/* Sizes of work-groups. */
	{ "kernel __attribute__((reqd_work_group_size(8, 4, 2)))\n"
	  "void a(global int *x) { x[0] = 1; }\n"
	  "#define N 16\n#define M (N * 2)\n"
	  "__attribute__((reqd_work_group_size(M, N / 4, 1))) kernel\n"
	  "__attribute__((vec_type_hint(float4))) void b(global int *x)\n"
	  "{ x[0] = 1; }\n"
	  "__attribute__((work_group_size_hint(64, 1, 1))) kernel void c() {}",
	  NULL, "a:[8,4,2] M8;b:[32,4,1] M8;c:;" },
	/* Vectors. */
	{ "typedef float4 real4;\n#define PAIR float2\n"
	  "kernel void k(global float4 *x, global real4 *y, float8 e) {\n"
	  "  float4 v = (float4)(1, (PAIR)(2, 3), 4.0f), u = (real4)(0.5f);\n"
	  "  float4 s = 2.0f, c = (float4)1.0f; float16 w = (float16)(e, e);\n"
	  "  v.xy = u.zw; v.s3 = 1; v.lo += v.hi; v.even = v.odd; v.wzyx = u;\n"
	  "  w.sF = 1; w.sa = 2; w.s0123 = v; w.hi = e; e.s7 = w.s4;\n"
	  "  x[0] = v * s + u / c - (v.xyzw + 1) * 2.0f; x[0] += -v; x[1]++;\n"
	  "  y[0].s02 = v.yw; y[1] = (float4)(v.xyz, 1); x[2] = (v.lo).xxyy;\n"
	  "  int4 m = (v < u) & ~(u == v) | !(v > 1.0f);\n"
	  "  x[3] = select(v, u, m) + (m.x && any(m) || all(m) ? v : u);\n"
	  "  x[4].x = w.s0 + e.lo.x; return; }",
	  NULL, "k: M8 M8 V32;" },
	{ "kernel void k(global int4 *x, global uchar4 *b, global long2 *l) {\n"
	  "  x[0] = (x[1] << 3) % (int4)(7) ^ x[2]; x[1] <<= x[2]; x[2]--;\n"
	  "  b[0] = b[1] + (uchar4)(1, 2, 3, 4); l[0] = l[1] >> 1L;\n"
	  "  int3 three = (int3)(1, 2, 3); x[3].xyz = three; x[4].x = three.z; }",
	  NULL, "k: M8 M8 M8;" },
	/* Conversions, loads and stores, and ##. */
	{ "kernel void k(global float *x, global int *y, global half *h) {\n"
	  "  float4 v = vload4(1, x); int4 i = convert_int4_sat_rte(v);\n"
	  "  y[0] = convert_int(x[0]) + as_int(x[1]) + i.x;\n"
	  "  vstore4(convert_float4(i), 2, x); vstore3(v.xyz, 0, x);\n"
	  "  x[0] = vload_half(3, h); vstore_half(x[1], 2, h);\n"
	  "  vstore_half4_rtz(v, 0, h); x[1] = vload_half2(1, h).y;\n"
	  "  x[2] = convert_float_rtp(y[3]) + (float)convert_uchar_sat(x[3]);\n"
	  "  x[3] = as_float4(i).z + vloada_half3(0, h).z; }",
	  NULL, "k: M8 M8 M8;" },
	{ "#define K(w) kernel void k##w(global float *x) { \\\n"
	  "  float##w v = (float##w)(1) + vload##w(0, x); \\\n"
	  "  vstore##w(convert_float##w(convert_int##w(v)), 1, x); }\n"
	  "K(2) K(16)\nkernel void other() {}",
	  NULL, "k2!: M8;k16!: M8;other:;" },
	/* Atomics. */
	{ "kernel void k(volatile global int *a, global uint *u,\n"
	  "  volatile global long *l, global ulong *v, local int *t,\n"
	  "  global float *f) { atomic_add(a, 1); atomic_sub(u, 2);\n"
	  "  atomic_inc(a); atomic_dec(u); atomic_xchg(f, 1.5f);\n"
	  "  atomic_xchg(a, 2); u[1] = atomic_cmpxchg(u, 1, 2);\n"
	  "  atomic_min(a, 1); atomic_max(u, 3); atomic_and(a, 1);\n"
	  "  atomic_or(t, 1); atomic_xor(t, 2); atom_add(l, 1); atom_inc(v);\n"
	  "  atom_min(l, 3L); atom_max(v, 4UL); atom_cmpxchg(l, 1L, 2L); }",
	  NULL, "k: M8 M8 M8 M8 L0 M8;" },
	/* Work-items. */
	{ "kernel void k(global ulong *x) { size_t i = get_global_id(0);\n"
	  "  x[i] = get_global_size(1) + get_local_id(2) + get_local_size(0)\n"
	  "  + get_group_id(0) + get_num_groups(0) + get_work_dim()\n"
	  "  + get_global_offset(0); barrier(CLK_GLOBAL_MEM_FENCE);\n"
	  "  mem_fence(CLK_LOCAL_MEM_FENCE); read_mem_fence(1); }",
	  NULL, "k: M8;" },
	{ "kernel void k(global int *x, local int *t) {\n"
	  "  event_t e = async_work_group_copy(t, x, 16, 0);\n"
	  "  wait_group_events(1, &e); prefetch(x, 4);\n"
	  "  printf(\"%d %s\\n\", t[0], \"global local\"); }",
	  NULL, "k: M8 L0;" },
	/* Functions. */
	{ "kernel void k(global float *x, global float4 *v, global double *d) {\n"
	  "  float p; int n;\n"
	  "  x[0] = sin(x[1]) + pow(x[2], 1.5f) + fma(x[1], x[2], x[3]) +\n"
	  "    mad(x[1], 2.0f, x[2]) + native_exp(x[1]) + half_sqrt(x[2]) +\n"
	  "    clamp(x[1], 0.0f, 1.0f) + mix(x[1], x[2], 0.5f) + rsqrt(x[1]) +\n"
	  "    step(0.5f, x[1]) + smoothstep(0.0f, 1.0f, x[2]) + sign(x[1]) +\n"
	  "    fmin(x[1], x[2]) + max(x[1], x[2]) + ldexp(x[1], 3) + isnan(x[1]) +\n"
	  "    fract(x[1], &p) + frexp(x[2], &n) + M_PI_F + INFINITY + NAN;\n"
	  "  v[0] = sin(v[1]) + max(v[1], 0.0f) + clamp(v[1], v[2], v[3]) +\n"
	  "    normalize(v[1]) + cross(v[1], v[2]) + mix(v[1], v[2], 0.5f);\n"
	  "  x[4] = dot(v[0], v[1]) + length(v[2]) + distance(v[1], v[2]) + n;\n"
	  "  d[0] = exp(d[1]) + fabs(d[2]) + max(d[1], d[2]) + M_PI; }",
	  NULL, "k: M8 M8 M8;" },
	{ "kernel void k(global int *x, global uint *u, global long *l,\n"
	  "  global uchar *c, global int4 *v) { x[0] = mul24(x[1], x[2]) +\n"
	  "  mad24(x[1], x[2], x[3]) + mul_hi(x[1], x[2]) + rotate(x[1], 3) +\n"
	  "  clz(x[1]) + popcount(x[2]) + add_sat(x[1], x[2]) + hadd(x[1], x[2])\n"
	  "  + min(x[1], 4) + max(x[2], x[3]) + clamp(x[1], 1, 5);\n"
	  "  u[0] = abs(x[1]) + abs_diff(x[1], x[2]) + rhadd(u[1], u[2]);\n"
	  "  l[0] = mul_hi(l[1], l[2]) + mad_sat(l[1], l[2], l[3]) +\n"
	  "  upsample(x[1], u[1]); c[0] = sub_sat(c[1], c[2]);\n"
	  "  v[0] = max(v[1], 3) + min(v[1], v[2]) + rotate(v[1], v[2]); }",
	  NULL, "k: M8 M8 M8 M8 M8;" },
	/* Features of C that C++ does not have. */
	{ "struct new { int class, this; };\n"
	  "static int template(int or) { register int not = or; return not; }\n"
	  "kernel void k(global struct new *private_, global int *xor) {\n"
	  "  struct new try = (struct new){ 1, 2 }; struct new b = { .this = 3 };\n"
	  "  private_->class = template(try.this) + b.this; xor[0] = 1;\n"
	  "  uint w = 3; float f[2] = { w, 1 }; xor[1] = (int)f[0]; }",
	  NULL, "k: M8 M8;" },
	/* A kernel that is called like a function. */
	{ "kernel void a(global int *x) { x[get_global_id(0)] += 7; }\n"
	  "kernel void b(global int *x) { a(x + 1); }",
	  NULL, "a: M8;b: M8;" },
	/* Members with the names of components. */
	{ "struct box { int lo, hi, s0, xy; };\n"
	  "kernel void k(global struct box *x) { x->lo = x[1].hi + x->s0 + x->xy;"
	  " x->lo += 1; }",
	  NULL, "k: M8;" },
	/* Comments, strings and lines of the preprocessor. */
	{ "// kernel void no(local int *x)\n/* kernel void no() \" */\n"
	  "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
	  "#if defined(cl_khr_fp64) && __OPENCL_VERSION__ == 120 && \\\n"
	  "    __OPENCL_C_VERSION__ == 120 && !defined(cl_khr_fp16)\n"
	  "#define GLOBAL global /* local */\n#endif\n"
	  "kernel void k(GLOBAL int *x) { x[0] = sizeof(\"local\") > 4; }",
	  NULL, "k: M8;" },
	{ "#if __OPENCL_C_VERSION__ != 110 || WANTED != 3 || !ONE || defined(GONE)"
	  "\n#error wrong\n#endif\nkernel void k() {}",
	  "-cl-std=CL1.1 -D WANTED=3 -DONE -DGONE -UGONE -cl-mad-enable\n-w",
	  "k:;" },
	/* Macros that name an address space. */
	{ "#define L __local\n#define LL L const\n#define P L int *p, int n\n"
	  "kernel void a(L float *x, global float *y) { y[0] = x[0]; }\n"
	  "kernel void b(P, L \\\n float *restrict x) { x[n] = p[0]; }\n"
	  "kernel void c(LL float *x, global float *y) { y[0] = x[0]; }\n"
	  "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void\n"
	  "d(S int *x, S int y[]) { x[0] = y[0]; }\n"
	  "#define PAIR(T) kernel void e##T(L T *x, global T *y) { *y = *x; }\n"
	  "PAIR(int)",
	  "-DS=local",
	  "a: L0 M8;b: L0 V4 L0;c: L0 M8;d:[8,1,1] L0 L0;"
	  "eint!: L0 ?0;" },
	/* Macros that are not the same everywhere, or take parameters. */
	{ "#if 1\n#define L local\n#else\n#define L global\n#endif\n"
	  "kernel void a(L int *x, local int *y) { y[0] = x[0]; }\n"
	  "#define LOC(T) local T\n"
	  "kernel void b(LOC(int) *x, int n) { x[0] = n; }\n"
	  "#define M local\nkernel void c(M int *x) { x[0] = 1; }\n#undef M\n"
	  "kernel void d(global int *M) { M[0] = 1; }\n"
	  "kernel void e(global int *N) { N[0] = 1; }\n#define N local\n",
	  NULL, "a!: ?0 L0;b!: ?0 V4;c!: ?0;d!: ?0;e!: ?0;" },
};
#define FEATURES (sizeof(features) / sizeof(features[0]))

START_TEST(feature)
{
	struct cuda_rewrite rewrite;
	char text[1024];
	const char *source = features[_i].source;
	dprp_rc rc = cuda_rewrite_source(&rewrite, host, source, strlen(source),
					 features[_i].options);

	ck_assert_msg(!rc, "%s\n%s", rewrite.log.bytes ? rewrite.log.bytes : "",
		      source);
	describe(&rewrite.table, text, sizeof(text));
	ck_assert_str_eq(text, features[_i].table);
	compile(&rewrite, source, NULL);
	cuda_rewrite_free(&rewrite);
}
END_TEST

/* Kernels whose names are made by a macro are found, too, and so are their
   parameters in local memory, unless the name takes more than one step. */
START_TEST(pasted_names)
{
	static const char source[] =
		"#define NAMED(name) kernel void name(global int *x) { *x = 1; }\n"
		"NAMED(named)\n#define OTHER other\nNAMED(OTHER)\n"
		"#define K(T, n) kernel void k_##T(global T *x, local T *t) "
		"{ local T own[n]; t[0] = own[0] = x[0]; x[1] = t[0]; }\n"
		"K(int, (1, 4))\n#define REST K(float, 8) K(uint, 2)\nREST\n"
		"#define EACH(T) K(T, 2)\nEACH(long)\n";
	static const char *const names[] = { "k_int",  "k_float", "k_uint",
					     "k_long", "named",   "other",
					     NULL };
	struct cuda_rewrite rewrite;
	char text[1024];

	ck_assert(!cuda_rewrite_source(&rewrite, host, source, strlen(source),
				       NULL));
	describe(&rewrite.table, text, sizeof(text));
	ck_assert_str_eq(text, "named!: M8;k_int!: ?0 L0;k_float!: ?0 L0;"
			       "k_uint!: ?0 L0;");
	compile(&rewrite, source, names);
	cuda_rewrite_free(&rewrite);
}
END_TEST

/* A macro that is too long, or stands for itself, is left as it is. */
START_TEST(endless_macros)
{
	static const char *const sources[] = {
		"#define L local L L\nkernel void k(L int *x) {}\n",
		"#define A local B B\n#define B A A\nkernel void k(A int *x) {}\n",
		"#define A local int *a##b\nkernel void k(A) {}\n",
	};
	struct cuda_rewrite rewrite;
	char text[1024];
	size_t i;

	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		ck_assert(!cuda_rewrite_source(&rewrite, host, sources[i],
					       strlen(sources[i]), NULL));
		describe(&rewrite.table, text, sizeof(text));
		ck_assert_str_eq(text, "k!: ?0;");
		cuda_rewrite_free(&rewrite);
	}
}
END_TEST

/* --- The rewritten text --------------------------------------------------- */

/* Rewrite a source.  Returns the result after the prelude. */
static const char *tail_of(struct cuda_rewrite *rewrite, const char *source,
			   const char *options)
{
	static const char mark[] = "#line 1 \"<source>\"\n";
	const char *tail;

	ck_assert(!cuda_rewrite_source(rewrite, host, source, strlen(source),
				       options));
	tail = strstr(rewrite->text.bytes, mark);
	ck_assert(tail);
	return tail + strlen(mark);
}

START_TEST(lines_stay)
{
	static const char source[] =
		"#define A 1\n"
		"/* two\nlines */ kernel\nvoid k(local int\n *t, // text\n"
		"  global int *x)\n{\n#pragma OPENCL EXTENSION all : enable\n"
		"  float4 v = (float4)(\n 1, 2, 3, 4);\n}\nLAST\n";
	struct cuda_rewrite rewrite;
	const char *tail = tail_of(&rewrite, source, NULL), *last;
	int theirs = 0, ours = 0;

	for (const char *at = strstr(source, "LAST"); at > source; at--)
		theirs += at[-1] == '\n';
	last = strstr(tail, "LAST");
	ck_assert(last);
	for (const char *at = last; at > tail; at--)
		ours += at[-1] == '\n';
	ck_assert_int_eq(ours, theirs);
	cuda_rewrite_free(&rewrite);
}
END_TEST

/* The compiler's messages give the line numbers of the user's source. */
START_TEST(messages_name_lines)
{
	static const char source[] =
		"kernel void f(global int *p) {\n\n\tp[0] = nosuchname;\n}\n";
	struct cuda_rewrite rewrite;
	char *cubin, *log;
	size_t size;

	tail_of(&rewrite, source, "-DA=1 -DB=2");
	if (has_nvrtc) {
		ck_assert(!nvrtc_compile(rewrite.text.bytes, &cubin, &size,
					 &log));
		ck_assert_msg(strstr(log, "<source>(3): error"), "%s", log);
		ck_assert_msg(strstr(log, "nosuchname"), "%s", log);
		free(log);
	}
	cuda_rewrite_free(&rewrite);
}
END_TEST

START_TEST(single_constants)
{
	struct cuda_rewrite rewrite;
	const char *tail =
		tail_of(&rewrite,
			"float f() { return 1.0 + 2e3 + .5f + 0x10 + 7 + 1.; }",
			"-cl-single-precision-constant");

	ck_assert_ptr_nonnull(
		strstr(tail, "1.0f + 2e3f + .5f + 0x10 + 7 + 1.f;"));
	cuda_rewrite_free(&rewrite);
}
END_TEST

START_TEST(contraction)
{
	struct cuda_rewrite rewrite;

	tail_of(&rewrite, "kernel void k() {}", NULL);
	ck_assert(rewrite.contract);
	cuda_rewrite_free(&rewrite);
	tail_of(&rewrite, "#pragma OPENCL FP_CONTRACT OFF\n", NULL);
	ck_assert(!rewrite.contract);
	cuda_rewrite_free(&rewrite);
	tail_of(&rewrite, "int f;\n\nvoid g(image2d_t i, sampler_t s) {}\n",
		NULL);
	ck_assert_uint_eq(rewrite.image_line, 3);
	cuda_rewrite_free(&rewrite);
}
END_TEST

/* --- Refused sources ------------------------------------------------------ */

static const struct {
	const char *source, *options, *log;
} refusals[] = {
	{ "", "--no-such-option", "--no-such-option" },
	{ "", "-cl-std=CL2.0", "1.0 to 1.2" },
	{ "", "-D", "-D needs a value" },
	{ "\nkernel __attribute__((reqd_work_group_size(n, 1, 1))) void k() {}",
	  NULL, "<source>(2): error: reqd_work_group_size" },
	{ "#define N 0\nkernel __attribute__((reqd_work_group_size(N, 1, 1)))\n"
	  "void k() {}",
	  "-DA=1", "<source>(2): error: reqd_work_group_size" },
	{ "#ifdef A\n#define N 1\n#else\n#define N 2\n#endif\n"
	  "kernel __attribute__((reqd_work_group_size(N, 1, 1))) void k() {}",
	  NULL, "defined once" },
	{ "#define K(n) kernel __attribute__((reqd_work_group_size(1, 1, 1))) \\\n"
	  "void k##n() {}\nK(1)",
	  NULL, "is made by a macro" },
};

START_TEST(refused)
{
	struct cuda_rewrite rewrite;
	const char *source = refusals[_i].source;
	dprp_rc rc = cuda_rewrite_source(&rewrite, host, source, strlen(source),
					 refusals[_i].options);

	ck_assert_int_eq(rc, DPR_RC_INVALID);
	ck_assert_msg(strstr(rewrite.log.bytes, refusals[_i].log), "%s",
		      rewrite.log.bytes);
	cuda_rewrite_free(&rewrite);
}
END_TEST

START_TEST(zero_bytes)
{
	static const char source[] = "kernel void k() {}\0\0", bad[] = "int\0x";
	struct cuda_rewrite rewrite;

	ck_assert(!cuda_rewrite_source(&rewrite, host, source, sizeof(source),
				       NULL));
	cuda_rewrite_free(&rewrite);
	ck_assert_int_eq(
		cuda_rewrite_source(&rewrite, host, bad, sizeof(bad), NULL),
		DPR_RC_INVALID);
	ck_assert_ptr_nonnull(strstr(rewrite.log.bytes, "zero byte"));
	cuda_rewrite_free(&rewrite);
}
END_TEST

START_TEST(ignored_options)
{
	struct cuda_rewrite rewrite;

	tail_of(&rewrite, "",
		"-cl-finite-math-only -cl-kernel-arg-info -cl-fast-relaxed-math "
		"-cl-fp32-correctly-rounded-divide-sqrt");
	ck_assert(rewrite.options.fast && rewrite.options.rounded);
	ck_assert(!rewrite.options.unsafe && !rewrite.options.single);
	ck_assert_ptr_nonnull(
		strstr(rewrite.log.bytes, "-cl-finite-math-only"));
	ck_assert_ptr_null(strstr(rewrite.log.bytes, "arg-info"));
	cuda_rewrite_free(&rewrite);
}
END_TEST

/* Each allocation fails once; nothing is leaked. */
START_TEST(no_memory)
{
	static const size_t which[] = { 7, FEATURES - 2 };
	const char *source = features[which[_i]].source;
	struct cuda_rewrite rewrite;
	dprp_rc rc = DPR_RC_OOM_HOST;
	unsigned long nth;

	for (nth = 1; rc; nth++) {
		ck_assert(nth < 1000);
		host_table_fail_alloc(table, nth);
		rc = cuda_rewrite_source(&rewrite, host, source, strlen(source),
					 "-DA=1 -DB -I/tmp");
		ck_assert(!rc || rc == DPR_RC_OOM_HOST);
		cuda_rewrite_free(&rewrite);
		ck_assert_int_eq(host_table_blocks(table), 0);
	}
	host_table_fail_alloc(table, 0);
	ck_assert(nth > 5);
}
END_TEST

/* --- The sources of this tree --------------------------------------------- */

/* Files with OpenCL C in strings, the least number of strings that can be
   compiled as they are, and the options that they need. */
static const struct {
	const char *file, *options;
	int count;
} files[] = {
	{ "examples/axpy.c", NULL, 1 },
	{ "examples/events.c", NULL, 1 },
	{ "examples/gemv_kernel.c", NULL, 1 },
	{ "tests/array/api_array_launch.c", NULL, 1 },
	{ "tests/contract/backend_kernels.c", NULL, 1 },
	{ "tests/device/api_native.c", NULL, 1 },
	{ "tests/life/api_threads.c", NULL, 1 },
	{ "tests/opencl/cold_exit.c", NULL, 1 },
	{ "tests/opencl/opencl_kernels.c", "-DNUMBER=float", 5 },
	{ "tests/opencl/opencl_oclgrind.c", NULL, 2 },
	{ "tests/opencl/opencl_queues.c", NULL, 1 },
	{ "tests/program/api_cache_use.c", NULL, 1 },
	{ "tests/program/api_kernel.c", NULL, 1 },
	{ "tests/submit/api_order.c", NULL, 1 },
	{ "tests/submit/api_overlap.c", NULL, 1 },
	{ "tests/support/programs.h", NULL, 1 },
	{ "tools/bench/bench_calls.c", NULL, 1 },
	{ "tools/bench/bench_cl_arrays.c", NULL, 1 },
	{ "tools/kit/samples_text.h", NULL, 1 },
};

/* Append the value of a string literal. */
static size_t unescape(const struct cuda_token *token, char *to, size_t at)
{
	for (size_t i = 1; i + 1 < token->size; i++) {
		char c = token->text[i];

		if (c == '\\' && i + 2 < token->size) {
			c = token->text[++i];
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		to[at++] = c;
	}
	return at;
}

/* Rewrite and compile a text if it is a whole program.  Returns whether it was
   one. */
static int try_text(const char *text, const char *options)
{
	struct cuda_rewrite rewrite;

	/* Leave out printf formats, intended errors, and empty declarations for
	   mocks. */
	if (!strstr(text, "kernel ") || !strchr(text, '{') ||
	    strchr(text, '}') == NULL || strstr(text, "%s") ||
	    strstr(text, "%d") || strstr(text, "%lld") ||
	    strstr(text, "nosuchname") || strstr(text, "#error") ||
	    strstr(text, "{ (void)a; }"))
		return 0;
	ck_assert_msg(!cuda_rewrite_source(&rewrite, host, text, strlen(text),
					   options),
		      "%s\n%s", rewrite.log.bytes, text);
	compile(&rewrite, text, NULL);
	cuda_rewrite_free(&rewrite);
	return 1;
}

START_TEST(tree)
{
	struct cuda_strings strings = { .host = host };
	struct cuda_tokens tokens;
	char path[1024], *bytes, *text;
	size_t size, at = 0;
	int count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s",
		 getenv("top_srcdir") ? getenv("top_srcdir") : ".",
		 files[_i].file);
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	bytes = calloc(1, 1 << 20);
	text = malloc(1 << 20);
	size = fread(bytes, 1, (1 << 20) - 1, file);
	fclose(file);
	ck_assert(cuda_lexer_split(&strings, bytes, size, &tokens));
	/* Adjacent strings are one text, in macros as well. */
	for (size_t i = 0; i <= tokens.n; i++) {
		if (tokens.list[i].kind == CUDA_TOKEN_STRING) {
			at = unescape(&tokens.list[i], text, at);
		} else if (at) {
			text[at] = '\0';
			count += try_text(text, files[_i].options);
			at = 0;
		}
	}
	ck_assert_msg(count >= files[_i].count, "%s: %d sources", path, count);
	cuda_strings_free(&strings);
	free(text);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("OpenCL C for CUDA");
	TCase *tcase = tcase_create("rewriting");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, feature, 0, FEATURES);
	tcase_add_test(tcase, pasted_names);
	tcase_add_test(tcase, endless_macros);
	tcase_add_test(tcase, lines_stay);
	tcase_add_test(tcase, messages_name_lines);
	tcase_add_test(tcase, single_constants);
	tcase_add_test(tcase, contraction);
	tcase_add_loop_test(tcase, refused, 0,
			    sizeof(refusals) / sizeof(refusals[0]));
	tcase_add_test(tcase, zero_bytes);
	tcase_add_test(tcase, ignored_options);
	tcase_add_loop_test(tcase, no_memory, 0, 2);
	tcase_add_loop_test(tcase, tree, 0, sizeof(files) / sizeof(files[0]));
	tcase_set_timeout(tcase, 120);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	if (!failed && !nvrtc_open()) {
		puts("SKIP: nothing was compiled: there is no NVRTC "
		     "(libnvrtc.so.13 or .12); the texts are as expected");
		return 77;
	}
	return failed != 0;
}
