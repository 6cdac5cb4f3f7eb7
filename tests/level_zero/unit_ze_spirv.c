/* SPDX-License-Identifier: Apache-2.0 */
/* unit_ze_spirv.c - how the Level Zero plugin reads SPIR-V modules and its own
   binaries.  It trusts neither. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "backends/level_zero/spirv/ze_binary.h"
#include "backends/level_zero/spirv/ze_spirv.h"
#include "tests/support/backend_host_table.h"
#include "tests/support/spirv_constants.h"

static struct host_table *table;

/* --- A module, an instruction at a time ----------------------------------- */

struct code {
	uint32_t words[512];
	size_t n;
};

static void add(struct code *code, uint32_t op, const uint32_t *operands,
		uint32_t n)
{
	code->words[code->n++] = (n + 1) << 16 | op;
	while (n--)
		code->words[code->n++] = *operands++;
}

#define ADD(op, ...)                                     \
	add(code, op, (const uint32_t[]){ __VA_ARGS__ }, \
	    sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

enum {
	FLOAT = 10,
	INT,
	LONG,
	CHAR,
	FLOAT3,
	FLOAT4,
	STRUCT,
	PACKED,
	TWO,
	ROW,
	SPEC,
	SPEC_ROW,
	NESTED,
	GLOBAL,
	CONSTANT,
	LOCAL,
	BY_VALUE,
	IMAGE,
	VOID,
	TYPE,
	EIGHT,
	LABEL,
	PARAM = 50,
	MANY = 100,
	SIZED,
	SIZED_BY_ID,
	HELPER,
	BOUND
};

static const uint32_t param_types[] = { GLOBAL, CONSTANT, LOCAL,    FLOAT4,
					FLOAT3, BY_VALUE, CHAR,     LONG,
					IMAGE,  STRUCT,   PACKED,   ROW,
					NESTED, SPEC_ROW, SPEC + 60 };

#define N_PARAMS (sizeof(param_types) / sizeof(param_types[0]))

static const struct {
	uint32_t kind;
	uint64_t size;
} expected[N_PARAMS] = {
	{ DPRP_ARG_MEM, 8 },    { DPRP_ARG_MEM, 8 },    { DPRP_ARG_LOCAL, 0 },
	{ DPRP_ARG_VALUE, 16 }, { DPRP_ARG_VALUE, 16 }, { DPRP_ARG_VALUE, 24 },
	{ DPRP_ARG_VALUE, 1 },  { DPRP_ARG_VALUE, 8 },  { DPRP_ARG_UNKNOWN, 0 },
	{ DPRP_ARG_VALUE, 24 }, { DPRP_ARG_VALUE, 13 }, { DPRP_ARG_VALUE, 8 },
	{ DPRP_ARG_VALUE, 40 }, { DPRP_ARG_VALUE, 0 },  { DPRP_ARG_UNKNOWN, 0 },
};

static void add_types(struct code *code)
{
	ADD(71, PACKED, 10); /* CPacked */
	ADD(19, VOID);
	ADD(22, FLOAT, 32);
	ADD(21, INT, 32, 0);
	ADD(21, LONG, 64, 0);
	ADD(21, CHAR, 8, 0);
	ADD(23, FLOAT3, FLOAT, 3);
	ADD(23, FLOAT4, FLOAT, 4);
	ADD(43, INT, TWO, 2);
	ADD(43, INT, EIGHT, 8);
	ADD(50, INT, SPEC, 3);
	ADD(28, ROW, INT, TWO);
	ADD(28, SPEC_ROW, INT, SPEC);
	/* { float; long; char } and, packed, { float; long; char }. */
	ADD(30, STRUCT, FLOAT, LONG, CHAR);
	ADD(30, PACKED, FLOAT, LONG, CHAR);
	/* { packed; struct } */
	ADD(30, NESTED, PACKED, STRUCT);
	ADD(32, GLOBAL, 5, FLOAT);
	ADD(32, CONSTANT, 0, FLOAT);
	ADD(32, LOCAL, 4, INT);
	ADD(32, BY_VALUE, 7, STRUCT);
	ADD(25, IMAGE, VOID, 1, 0, 0, 0, 0, 0, 0);
	ADD(33, TYPE, VOID);
}

static void add_function(struct code *code, uint32_t id, bool params)
{
	uint32_t i;

	ADD(54, VOID, id, 0, TYPE);
	for (i = 0; params && i < N_PARAMS; i++)
		ADD(55, param_types[i], PARAM + i);
	ADD(248, LABEL);
	add(code, 253, NULL, 0);
	add(code, 56, NULL, 0);
}

/* Three kernels, and a function that is not a kernel. */
static void make(struct code *code)
{
	static const uint32_t head[] = { 0x07230203, 0x00010200, 0, BOUND, 0 };

	memcpy(code->words, head, sizeof(head));
	code->n = 5;
	ADD(17, 6);
	ADD(17, 10); /* Float64 */
	ADD(17, 12); /* Int64Atomics */
	ADD(14, 2, 2);
	ADD(15, 6, MANY, 0x796e616d, 0);
	ADD(15, 6, SIZED, 0x657a6973, 100);
	ADD(15, 6, SIZED_BY_ID, 0x69646579, 0);
	ADD(15, 5, HELPER, 0x796e616d, 0); /* not a kernel */
	ADD(16, SIZED, 17, 8, 4, 2);
	ADD(331, SIZED_BY_ID, 38, EIGHT, TWO, TWO);
	add_types(code);
	add_function(code, HELPER, false);
	add_function(code, SIZED, false);
	add_function(code, MANY, true);
	add_function(code, SIZED_BY_ID, false);
}

/* --- Reading -------------------------------------------------------------- */

/* Read a copy that ends exactly with the module, so that tools see reads
   beyond. */
static dprp_rc read_copy(struct ze_spirv *out, const void *bytes, size_t size,
			 const char **wrong)
{
	void *copy = malloc(size ? size : 1);
	dprp_rc rc;

	memcpy(copy, bytes, size);
	*out = (struct ze_spirv){ .host = host_table_host(table) };
	rc = ze_spirv_read(out, copy, size, wrong);
	free(copy);
	ck_assert(rc == DPR_RC_OK || rc == DPR_RC_OOM_HOST ||
		  (rc == DPR_RC_INVALID && *wrong));
	if (rc) {
		ck_assert_ptr_null(out->kernels);
		ck_assert_ptr_null(out->outline);
		ck_assert_int_eq(host_table_blocks(table), 0);
	}
	return rc;
}

static void check_refused(const struct code *code, const char *text)
{
	struct ze_spirv spirv;
	const char *wrong;

	ck_assert_int_eq(read_copy(&spirv, code->words, code->n * 4, &wrong),
			 DPR_RC_INVALID);
	ck_assert_msg(strstr(wrong, text), "\"%s\" lacks \"%s\"", wrong, text);
}

static void check_module(const struct ze_spirv *spirv)
{
	const struct ze_spirv_kernel *kernel;
	size_t i;

	ck_assert_uint_eq(spirv->major, 1);
	ck_assert_uint_eq(spirv->minor, 2);
	ck_assert(spirv->float64 && spirv->int64_atomics && !spirv->float16);
	ck_assert_uint_eq(spirv->n_kernels, 3);
	kernel = ze_spirv_find(spirv, "many");
	ck_assert_ptr_nonnull(kernel);
	ck_assert_uint_eq(kernel->required[0], 0);
	ck_assert_uint_eq(kernel->n_params, N_PARAMS);
	for (i = 0; i < N_PARAMS; i++)
		ck_assert_msg(kernel->params[i].kind == expected[i].kind &&
				      kernel->params[i].size ==
					      expected[i].size,
			      "parameter %zu: kind %u, size %llu", i,
			      kernel->params[i].kind,
			      (unsigned long long)kernel->params[i].size);
	kernel = ze_spirv_find(spirv, "sized");
	ck_assert_uint_eq(kernel->n_params, 0);
	ck_assert_uint_eq(kernel->required[0], 8);
	ck_assert_uint_eq(kernel->required[1], 4);
	ck_assert_uint_eq(kernel->required[2], 2);
	kernel = ze_spirv_find(spirv, "yedi");
	ck_assert_uint_eq(kernel->required[0], 8);
	ck_assert_uint_eq(kernel->required[2], 2);
	ck_assert_ptr_null(ze_spirv_find(spirv, "helper"));
}

START_TEST(kernels_and_parameters)
{
	struct ze_spirv spirv, again;
	struct code code;
	const char *wrong;

	make(&code);
	ck_assert_int_eq(read_copy(&spirv, code.words, code.n * 4, &wrong),
			 DPR_RC_OK);
	check_module(&spirv);
	/* The outline describes the same kernels, but has no code. */
	ck_assert_uint_lt(spirv.outline_size, code.n * 4);
	ck_assert_int_eq(
		read_copy(&again, spirv.outline, spirv.outline_size, &wrong),
		DPR_RC_OK);
	check_module(&again);
	ck_assert_uint_eq(again.outline_size, spirv.outline_size);
	ze_spirv_free(&again);
	ze_spirv_free(&spirv);
	ck_assert_int_eq(read_copy(&spirv, spirv_constants,
				   sizeof(spirv_constants), &wrong),
			 DPR_RC_OK);
	ck_assert_str_eq(spirv.kernels[0].name, "add_one");
	ck_assert_uint_eq(spirv.kernels[0].n_params, 1);
	ck_assert_uint_eq(spirv.kernels[0].params[0].kind, DPRP_ARG_MEM);
	ck_assert(!spirv.float64);
	ze_spirv_free(&spirv);
}
END_TEST

/* Instructions in the wrong place, inside the function of a kernel or behind
   it, are ignored, also when the outline is read. */
START_TEST(misplaced)
{
	/* A parameter, an entry point, a capability after the function. */
	static const uint32_t words[] = { 3 << 16 | 55, CHAR, PARAM,
					  5 << 16 | 15, 6,    HELPER,
					  0x6574616c,   0,    1 << 16 | 56,
					  2 << 16 | 17, 9 };
	struct ze_spirv spirv, again;
	struct code code;
	const char *wrong;
	size_t at = 5;

	make(&code);
	while ((code.words[at] & 0xffff) != 54 || code.words[at + 2] != SIZED)
		at += code.words[at] >> 16;
	while ((code.words[at] & 0xffff) != 248)
		at += code.words[at] >> 16;
	at += 2;
	memmove(&code.words[at] + sizeof(words) / 4, &code.words[at],
		4 * (code.n - at));
	memcpy(&code.words[at], words, sizeof(words));
	code.n += sizeof(words) / 4;
	ck_assert_int_eq(read_copy(&spirv, code.words, code.n * 4, &wrong),
			 DPR_RC_OK);
	check_module(&spirv);
	ck_assert_int_eq(
		read_copy(&again, spirv.outline, spirv.outline_size, &wrong),
		DPR_RC_OK);
	check_module(&again);
	ze_spirv_free(&again);
	ze_spirv_free(&spirv);
}
END_TEST

START_TEST(cut_anywhere)
{
	struct ze_spirv spirv;
	struct code code;
	const char *wrong;
	size_t n, taken = 0;

	make(&code);
	for (n = 0; n < code.n * 4; n++)
		if (!read_copy(&spirv, code.words, n, &wrong)) {
			taken++;
			ze_spirv_free(&spirv);
		}
	/* A cut may be accepted if it removes only functions that no kernel
	   needs. */
	ck_assert_uint_le(taken, 8);
}
END_TEST

/* Replace each word in turn: nothing may be read beyond the end. */
START_TEST(every_word_spoilt)
{
	static const uint32_t values[] = { 0,          1,          3,
					   0xffffffff, 0x7fffffff, 0xffff001e,
					   0x0002001c, 0x00040020, STRUCT,
					   MANY,       BOUND,      4194303 };
	struct ze_spirv spirv;
	struct code code, other;
	const char *wrong;
	size_t i, v;

	make(&code);
	for (i = 0; i < code.n; i++)
		for (v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			other = code;
			other.words[i] = values[v];
			if (!read_copy(&spirv, other.words, other.n * 4,
				       &wrong))
				ze_spirv_free(&spirv);
		}
}
END_TEST

START_TEST(what_is_refused)
{
	struct code good, code;
	size_t i;

	make(&good);
	code = good;
	for (i = 0; i < code.n; i++)
		code.words[i] = __builtin_bswap32(code.words[i]);
	check_refused(&code, "other byte order");
	code = good;
	code.words[0]++;
	check_refused(&code, "not SPIR-V");
	code = good;
	code.words[3] = 0;
	check_refused(&code, "ids");
	code.words[3] = 4194305;
	check_refused(&code, "ids");
	code.words[3] = MANY;
	check_refused(&code, "a kernel without a name");
	code = good;
	for (i = 5; code.words[i] != (3 << 16 | 14);)
		i += code.words[i] >> 16;
	code.words[i + 1] = 1;
	check_refused(&code, "64-bit");
	/* The name of the first kernel is not terminated. */
	code = good;
	code.words[i + 7] = 0x41414141;
	check_refused(&code, "without a name");
	code = good;
	code.words[i + 10] = MANY;
	check_refused(&code, "or with two");
	code = good;
	code.words[i + 5] = LABEL;
	check_refused(&code, "without a function");
}
END_TEST

START_TEST(memory_is_short)
{
	struct ze_spirv spirv;
	struct code code;
	const char *wrong;
	unsigned long n;

	make(&code);
	for (n = 1;; n++) {
		host_table_fail_alloc(table, n);
		if (!read_copy(&spirv, code.words, code.n * 4, &wrong))
			break;
		ck_assert_uint_lt(n, 50);
	}
	host_table_fail_alloc(table, 0);
	ck_assert_uint_gt(n, 8);
	ze_spirv_free(&spirv);
}
END_TEST

/* --- Binaries ------------------------------------------------------------- */

static void write_binary(struct host_table_text *text)
{
	const struct ze_binary binary = { .flags = DPRP_BUILD_LARGE,
					  .outline = "outline!",
					  .outline_size = 8,
					  .code = "the code",
					  .code_size = 9 };

	ze_binary_write(&binary, host_table_sink(text));
}

START_TEST(binaries)
{
	struct host_table_text text = { 0 };
	struct ze_binary binary;
	unsigned char *copy;
	size_t n;

	write_binary(&text);
	ck_assert_ptr_null(ze_binary_read(&binary, text.text, text.size));
	ck_assert_uint_eq(binary.flags, DPRP_BUILD_LARGE);
	ck_assert_uint_eq(binary.outline_size, 8);
	ck_assert_mem_eq(binary.outline, "outline!", 8);
	ck_assert_uint_eq(binary.code_size, 9);
	ck_assert_mem_eq(binary.code, "the code", 9);
	for (n = 0; n < text.size; n++) {
		copy = malloc(n ? n : 1);
		memcpy(copy, text.text, n);
		ck_assert_ptr_nonnull(ze_binary_read(&binary, copy, n));
		free(copy);
	}
	for (n = 0; n < text.size * 8; n++) {
		text.text[n / 8] ^= (char)(1 << n % 8);
		ck_assert_ptr_nonnull(
			ze_binary_read(&binary, text.text, text.size));
		text.text[n / 8] ^= (char)(1 << n % 8);
	}
	free(text.text);
}
END_TEST

static void set_up(void)
{
	table = host_table_new();
}

static void tear_down(void)
{
	host_table_free(table);
}

int main(void)
{
	Suite *suite = suite_create("ze_spirv");
	TCase *tcase = tcase_create("all");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	/* A damaged module may claim four million ids. */
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, kernels_and_parameters);
	tcase_add_test(tcase, misplaced);
	tcase_add_test(tcase, cut_anywhere);
	tcase_add_test(tcase, every_word_spoilt);
	tcase_add_test(tcase, what_is_refused);
	tcase_add_test(tcase, memory_is_short);
	tcase_add_test(tcase, binaries);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
