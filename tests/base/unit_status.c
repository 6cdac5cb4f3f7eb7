/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses, the last error of a thread, host memory, and texts that grow. */
#include <check.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/device.h>

#undef fail /* also a macro of Check's */
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"

START_TEST(names)
{
	ck_assert_int_eq(DPR_OK, 0);
	ck_assert_str_eq(dpr_status_name(DPR_OK), "DPR_OK");
	ck_assert_str_eq(dpr_status_name(DPR_ERROR_BUSY), "DPR_ERROR_BUSY");
	ck_assert_str_eq(dpr_status_name((dpr_status)-12345), "unknown status");
	ck_assert_str_eq(dpr_status_text((dpr_status)1), "unknown status");
#define CHECK(name, value, text)                                     \
	ck_assert_str_eq(dpr_status_name(DPR_##name), "DPR_" #name); \
	ck_assert_str_eq(dpr_status_text(DPR_##name), text);         \
	ck_assert_int_eq(DPR_##name, value);                         \
	ck_assert_int_le(DPR_##name, 0);
	DPR_STATUS_MAP(CHECK)
#undef CHECK
	ck_assert_uint_eq(sizeof(dpr_status), sizeof(int));
	ck_assert(status_is_error(DPR_ERROR_INTERNAL));
	ck_assert(!status_is_error(DPR_OK));
	ck_assert(!status_is_error((dpr_status)-4711));
	ck_assert(!status_is_error(DPR_STATUS_FORCE_INT));
}
END_TEST

START_TEST(quoted)
{
	char text[4 * TEXT_QUOTED];
	size_t n, i, shift;

	ck_assert_str_eq(text_quote("").bytes, "");
	ck_assert_str_eq(text_quote_part("abc", 2).bytes, "ab");
	for (n = TEXT_QUOTED - 3; n < sizeof(text); n++) {
		for (i = 0; i < n; i++)
			text[i] = (char)('a' + i % 26);
		text[n] = '\0';
		if (n < TEXT_QUOTED) {
			ck_assert_str_eq(text_quote(text).bytes, text);
			continue;
		}
		ck_assert_uint_eq(strlen(text_quote(text).bytes),
				  TEXT_QUOTED - 1);
		ck_assert_mem_eq(text_quote(text).bytes, text, 100);
		ck_assert_mem_eq(text_quote(text).bytes + TEXT_QUOTED - 51,
				 text + n - 50, 51);
		ck_assert_ptr_nonnull(strstr(text_quote(text).bytes, "..."));
	}
	/* A cut never splits a UTF-8 character. */
	for (shift = 0; shift < 8; shift++) {
		memset(text, 'x', shift);
		for (i = shift; i + 4 < sizeof(text) - 4; i += 4)
			memcpy(text + i, "\xf0\x9f\x98\x80", 4);
		memcpy(text + i, "yyy", shift % 4);
		text[i + shift % 4] = '\0';
		n = strlen(text_quote(text).bytes);
		ck_assert_uint_ge(n, TEXT_QUOTED - 1 - 6);
		ck_assert_uint_eq((n - shift - 3 - shift % 4) % 4, 0);
	}
}
END_TEST

static void *other_thread(void *unused)
{
	(void)unused;
	if (*dpr_last_error())
		return (void *)"not empty at first";
	status_record("theirs");
	return (void *)(strcmp(dpr_last_error(), "theirs") ? "not kept" : NULL);
}

START_TEST(last_error)
{
	pthread_t thread;
	void *result;
	char *huge;

	ck_assert_str_eq(dpr_last_error(), "");
	ck_assert_int_eq(fail(DPR_ERROR_BUSY, "%s is %d", "it", 5),
			 DPR_ERROR_BUSY);
	ck_assert_str_eq(dpr_last_error(), "it is 5");
	ck_assert_int_eq(pthread_create(&thread, NULL, other_thread, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, &result), 0);
	ck_assert_ptr_null(result);
	ck_assert_str_eq(dpr_last_error(), "it is 5");
	status_prefix("open %s", "x");
	status_append("; why");
	ck_assert_str_eq(dpr_last_error(), "open x: it is 5; why");
	/* An error text may have any length, and may be made from the last
	   error. */
	huge = malloc(1000001);
	memset(huge, 'x', 1000000);
	huge[1000000] = '\0';
	status_record("%s", huge);
	ck_assert_str_eq(dpr_last_error(), huge);
	status_record("%s!", dpr_last_error());
	ck_assert_uint_eq(strlen(dpr_last_error()), 1000001);
	free(huge);
}
END_TEST

START_TEST(memory)
{
	const uint64_t before = mem_fault_count();
	unsigned char *block = mem_alloc(100);
	size_t i;

	ck_assert_ptr_nonnull(block);
	for (i = 0; i < 100; i++)
		ck_assert_uint_eq(block[i], 0);
	mem_free(block);
	block = mem_array(10, 10);
	ck_assert_ptr_nonnull(block);
	block[0] = 7;
	block = mem_grow(block, 1000, 10);
	ck_assert_ptr_nonnull(block);
	ck_assert_uint_eq(block[0], 7);
	mem_free(block);
	ck_assert_ptr_null(mem_array(SIZE_MAX / 2, 3));
	ck_assert_ptr_null(mem_grow(NULL, SIZE_MAX / 2, 3));
	ck_assert_ptr_null(mem_alloc(SIZE_MAX - 64));
	/* A block of 0 bytes is not NULL, which means out of memory. */
	block = mem_alloc(0);
	ck_assert_ptr_nonnull(block);
	mem_free(block);
	block = mem_copy("abc", 0);
	ck_assert_ptr_nonnull(block);
	mem_free(block);
	mem_free(NULL);
	dpr_free(NULL);
	ck_assert_uint_gt(mem_fault_count(), before);
}
END_TEST

START_TEST(faults)
{
	void *blocks[4];
	char *text;

	mem_fault_after(2);
	blocks[0] = mem_alloc(1);
	blocks[1] = mem_string("x");
	blocks[2] = mem_array(1, 1);
	blocks[3] = mem_grow(NULL, 1, 1);
	ck_assert_ptr_nonnull(blocks[0]);
	ck_assert_ptr_nonnull(blocks[1]);
	ck_assert_ptr_null(blocks[2]);
	ck_assert_ptr_null(blocks[3]);
	mem_fault_clear();
	text = mem_string("y");
	ck_assert_ptr_nonnull(text);
	mem_free(text);
	mem_free(blocks[0]);
	mem_free(blocks[1]);
}
END_TEST

START_TEST(texts)
{
	struct text text = { 0 };
	char *taken;
	int i;

	ck_assert_str_eq(text_get(&text), "");
	taken = text_take(&text);
	ck_assert_str_eq(taken, "");
	mem_free(taken);
	for (i = 0; i < 1000; i++)
		text_print(&text, "%d,", i % 10);
	text_add(&text, "end", 3);
	ck_assert_uint_eq(text.size, 2003);
	taken = text_take(&text);
	ck_assert_str_eq(taken + 1996, "8,9,end");
	ck_assert_ptr_null(text.bytes);
	mem_free(taken);
	/* A failed addition is reported by text_take(), at the end. */
	text_print(&text, "a");
	mem_fault_after(0);
	text_print(&text, "%0500d", 1);
	mem_fault_clear();
	text_print(&text, "b");
	ck_assert_str_eq(text_get(&text), "a");
	ck_assert_ptr_null(text_take(&text));
	ck_assert_ptr_null(text.bytes);
	ck_assert_int_eq(text.failed, 0);
}
END_TEST

START_TEST(packed)
{
	struct line {
		const char *first;
		int number;
		const char *second;
	};
	static const size_t fields[] = { offsetof(struct line, first),
					 offsetof(struct line, second) };
	char word[] = "word";
	const struct line lines[] = { { word, 1, "" }, { NULL, 2, word } };
	struct line *copy = text_pack(lines, 2, sizeof(*lines), fields, 2);

	ck_assert_ptr_nonnull(copy);
	memset(word, 'x', 4);
	ck_assert_str_eq(copy[0].first, "word");
	ck_assert_str_eq(copy[0].second, "");
	ck_assert_ptr_null(copy[1].first);
	ck_assert_str_eq(copy[1].second, "word");
	ck_assert_int_eq(copy[0].number + copy[1].number, 3);
	mem_free(copy);
	copy = text_pack(NULL, 0, sizeof(*lines), fields, 2);
	ck_assert_ptr_nonnull(copy);
	mem_free(copy);
	mem_fault_after(0);
	ck_assert_ptr_null(text_pack(lines, 2, sizeof(*lines), fields, 2));
	mem_fault_clear();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("status");
	TCase *tcase = tcase_create("status");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, names);
	tcase_add_test(tcase, quoted);
	tcase_add_test(tcase, last_error);
	tcase_add_test(tcase, memory);
	tcase_add_test(tcase, faults);
	tcase_add_test(tcase, texts);
	tcase_add_test(tcase, packed);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
