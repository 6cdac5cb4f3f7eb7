/* SPDX-License-Identifier: Apache-2.0 */
/* unit_cuda_binary.c - reading the kernels of PTX, and refusing every binary
   that was changed. */
#include <check.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/rewrite/cuda_ptx.h"
#include "tests/support/backend_host_table.h"

static struct host_table *host;

static void setup(void)
{
	host = host_table_new();
}

static void teardown(void)
{
	host_table_free(host);
}

static struct cuda_table table_new(void)
{
	return (struct cuda_table){ .strings.host = host_table_host(host) };
}

static const char ptx[] =
	".version 6.0\n.target sm_60\n.address_size 64\n"
	"// .entry no()\n/* .visible .entry no2( */\n"
	".visible .entry add(\n\t.param .u64 add_param_0,\n"
	"\t.param .u64 .ptr .global .align 4 add_param_1,\n"
	"\t.param .f32 add_param_2,\n"
	"\t.param .align 8 .b8 add_param_3[272],\n\t.param .u8 add_param_4\n)\n"
	".maxntid 256, 1, 1\n{\n\tdiv.rn.f32 %f1, %f2, %f3;\n\tret;\n}\n"
	".entry none()\n.reqntid 16, 8\n{\n\tsqrt.rn.f32 %f1, %f2; ret;\n}\n"
	".entry bare\n{\n ret; }\n"
	".visible .entry add(.param .u8 twice) { ret; }\n";

START_TEST(entries)
{
	struct cuda_table table = table_new();
	struct cuda_table_kernel *kernel;
	static const dprp_param params[] = { { DPRP_ARG_UNKNOWN, 0, 8 },
					     { DPRP_ARG_MEM, 0, 8 },
					     { DPRP_ARG_UNKNOWN, 0, 4 },
					     { DPRP_ARG_UNKNOWN, 0, 272 },
					     { DPRP_ARG_UNKNOWN, 0, 1 } };

	ck_assert(cuda_ptx_kernels(ptx, sizeof(ptx), &table));
	ck_assert_uint_eq(table.n, 3);
	kernel = cuda_table_find(&table, "add", 3);
	ck_assert(kernel && kernel->known && kernel->certain);
	ck_assert_uint_eq(kernel->n_params, 5);
	ck_assert_mem_eq(kernel->params, params, sizeof(params));
	ck_assert_uint_eq(kernel->required[0], 0);
	kernel = cuda_table_find(&table, "none", 4);
	ck_assert(kernel && kernel->known && !kernel->n_params);
	ck_assert_uint_eq(kernel->required[0], 16);
	ck_assert_uint_eq(kernel->required[1], 8);
	ck_assert_uint_eq(kernel->required[2], 1);
	ck_assert_ptr_nonnull(cuda_table_find(&table, "bare", 4));
	cuda_table_free(&table);
}
END_TEST

START_TEST(rounding)
{
	static const char *const loose[] = {
		"\tdiv.approx.f32 %f1, %f2, %f3;",
		"\tdiv.full.ftz.f32 %f1, %f2, %f3;",
		"x: sqrt.approx.ftz.f32 %f1, %f2;", "{div.full.f32 %f1;}"
	};
	static const char plain[] =
		"// div.approx.f32\n\tdiv.rn.f32 %f1, %f2, %f3;\n"
		"\trsqrt.approx.f32 %f1, %f2; sqrt.rn.f64 %fd1, %fd2;";
	const char *what;

	ck_assert(cuda_ptx_is_rounded(ptx, sizeof(ptx), &what));
	ck_assert(cuda_ptx_is_rounded(plain, strlen(plain), &what));
	for (size_t i = 0; i < sizeof(loose) / sizeof(loose[0]); i++)
		ck_assert_msg(
			!cuda_ptx_is_rounded(loose[i], strlen(loose[i]), &what),
			"%s", loose[i]);
}
END_TEST

/* A small cubin: a header, one section, and its bytes. */
struct cubin {
	Elf64_Ehdr head;
	Elf64_Shdr section;
	char bytes[32];
};

static struct cubin cubin_new(void)
{
	struct cubin cubin;

	memset(&cubin, 0, sizeof(cubin));
	memcpy(cubin.head.e_ident, ELFMAG, SELFMAG);
	cubin.head.e_ident[EI_CLASS] = ELFCLASS64;
	cubin.head.e_machine = 190;
	cubin.head.e_shoff = offsetof(struct cubin, section);
	cubin.head.e_shnum = 1;
	cubin.head.e_shentsize = sizeof(Elf64_Shdr);
	cubin.section.sh_type = SHT_PROGBITS;
	cubin.section.sh_offset = offsetof(struct cubin, bytes);
	cubin.section.sh_size = sizeof(cubin.bytes);
	return cubin;
}

START_TEST(cubins)
{
	struct cubin cubin = cubin_new(), bad;

	ck_assert(cuda_table_is_cubin(&cubin, sizeof(cubin)));
	for (size_t size = 0; size < sizeof(cubin); size++)
		ck_assert(!cuda_table_is_cubin(&cubin, size));
	bad = cubin;
	bad.head.e_machine = EM_X86_64;
	ck_assert(!cuda_table_is_cubin(&bad, sizeof(bad)));
	bad = cubin;
	bad.section.sh_size = UINT64_MAX;
	ck_assert(!cuda_table_is_cubin(&bad, sizeof(bad)));
	bad = cubin;
	bad.head.e_shoff = UINT64_MAX - 8;
	ck_assert(!cuda_table_is_cubin(&bad, sizeof(bad)));
	bad = cubin;
	bad.head.e_shstrndx = 7;
	ck_assert(!cuda_table_is_cubin(&bad, sizeof(bad)));
}
END_TEST

/* Write a binary with two kernels. */
static struct cuda_text binary_new(const struct cubin *cubin)
{
	static const dprp_param params[] = { { DPRP_ARG_MEM, 0, 8 },
					     { DPRP_ARG_LOCAL, 0, 0 },
					     { DPRP_ARG_VALUE, 0, 272 } };
	const struct cuda_binary binary = { 9, 0, cubin, sizeof(*cubin) };
	struct cuda_text text = { .host = host_table_host(host) };
	struct cuda_table table = table_new();
	struct cuda_table_kernel *kernel = cuda_table_add(&table, "one", 3);

	ck_assert(kernel && cuda_table_params(&table, kernel, params, 3));
	kernel->certain = true;
	kernel->required[0] = 16;
	kernel->required[1] = kernel->required[2] = 1;
	ck_assert_ptr_nonnull(cuda_table_add(&table, "unknown", 7));
	table.locals = true;
	cuda_table_write(&table, &binary, &text);
	ck_assert(!text.failed);
	cuda_table_free(&table);
	return text;
}

START_TEST(round_trip)
{
	struct cubin cubin = cubin_new();
	struct cuda_text text = binary_new(&cubin);
	struct cuda_table table = table_new();
	struct cuda_table_kernel *kernel;
	struct cuda_binary binary;
	const char *wrong =
		cuda_table_read(&table, text.bytes, text.size, &binary);

	ck_assert_msg(!wrong, "%s", wrong);
	ck_assert(table.locals);
	ck_assert_int_eq(binary.major, 9);
	ck_assert_int_eq(binary.minor, 0);
	ck_assert_uint_eq(binary.size, sizeof(cubin));
	ck_assert_mem_eq(binary.code, &cubin, sizeof(cubin));
	kernel = cuda_table_find(&table, "one", 3);
	ck_assert(kernel && kernel->known && kernel->certain);
	ck_assert_uint_eq(kernel->n_params, 3);
	ck_assert_uint_eq(kernel->params[1].kind, DPRP_ARG_LOCAL);
	ck_assert_uint_eq(kernel->params[2].size, 272);
	ck_assert_uint_eq(kernel->required[0], 16);
	kernel = cuda_table_find(&table, "unknown", 7);
	ck_assert(kernel && !kernel->known && !kernel->certain);
	cuda_table_free(&table);
	cuda_text_free(&text);
}
END_TEST

/* A binary that is cut off anywhere, or has any one bit changed, is refused. */
START_TEST(spoilt)
{
	struct cubin cubin = cubin_new();
	struct cuda_text text = binary_new(&cubin);
	struct cuda_binary binary;
	unsigned char *copy;

	for (size_t size = 0; size < text.size; size++) {
		struct cuda_table table = table_new();

		/* Copy it to an allocation of its exact size, so that a
		   sanitizer sees reads beyond the end. */
		copy = malloc(size ? size : 1);
		memcpy(copy, text.bytes, size);
		ck_assert_ptr_nonnull(
			cuda_table_read(&table, copy, size, &binary));
		cuda_table_free(&table);
		free(copy);
	}
	copy = malloc(text.size);
	for (size_t bit = 0; bit < text.size * 8; bit++) {
		struct cuda_table table = table_new();

		memcpy(copy, text.bytes, text.size);
		copy[bit / 8] ^= (unsigned char)(1 << bit % 8);
		ck_assert_msg(cuda_table_read(&table, copy, text.size,
					      &binary) != NULL,
			      "bit %zu", bit);
		cuda_table_free(&table);
	}
	free(copy);
	cuda_text_free(&text);
}
END_TEST

START_TEST(no_memory)
{
	unsigned long nth;
	bool done = false;

	for (nth = 1; !done; nth++) {
		struct cuda_table table = table_new();

		ck_assert(nth < 100);
		host_table_fail_alloc(host, nth);
		done = cuda_ptx_kernels(ptx, sizeof(ptx), &table);
		cuda_table_free(&table);
		ck_assert_int_eq(host_table_blocks(host), 0);
	}
	host_table_fail_alloc(host, 0);
	ck_assert(nth > 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("binaries for CUDA");
	TCase *tcase = tcase_create("binaries");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, entries);
	tcase_add_test(tcase, rounding);
	tcase_add_test(tcase, cubins);
	tcase_add_test(tcase, round_trip);
	tcase_add_test(tcase, spoilt);
	tcase_add_test(tcase, no_memory);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
