/* SPDX-License-Identifier: Apache-2.0 */
/* unit_cache.c - the files of the program cache.  A damaged file is ignored,
   and the files that were not used for longest are removed first. */
#include "tests/support/cache_files.h"
#include "tests/support/runtime_test.h"

#include "core/base/env.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/runtime/program/cache.h"
#include "core/runtime/program/cache_dir.h"
#include "core/runtime/program/cache_file.h"
#include "core/runtime/program/cache_trim.h"

static const char log_text[] = "a warning";
static const unsigned char code[] = { 1, 2, 0, 3, 255, 7, 9 };
static char key_text[] = "which program it is";

static int dir = -1;

static struct cache_key key_of(unsigned number)
{
	struct cache_key key = { 0 };

	snprintf(key.file, sizeof(key.file), "%032x.bin", number);
	key.text = key_text;
	key.size = strlen(key_text);
	return key;
}

static void open_cache(void)
{
	struct text why = { 0 };

	cache_dir_setup();
	dir = cache_dir_open(cache_path, 1, &why);
	ck_assert_msg(dir >= 0, "%s", text_get(&why));
}

static void close_cache(void)
{
	close(dir);
	cache_dir_teardown();
}

static uint64_t write_key(unsigned number)
{
	struct cache_key key = key_of(number);
	uint64_t size =
		cache_file_write(dir, &key, log_text, code, sizeof(code));

	ck_assert_uint_gt(size, sizeof(code));
	return size;
}

static enum cache_state read_key(unsigned number)
{
	struct cache_key key = key_of(number);
	struct cache_entry entry;
	enum cache_state state = cache_file_read(dir, &key, &entry);

	if (state == CACHE_FOUND) {
		ck_assert_str_eq(entry.log, log_text);
		ck_assert_uint_eq(entry.size, sizeof(code));
		ck_assert_mem_eq(entry.binary, code, sizeof(code));
	} else {
		ck_assert_ptr_null(entry.block);
	}
	cache_entry_fini(&entry);
	return state;
}

static int open_key(unsigned number, int flags)
{
	struct cache_key key = key_of(number);
	int file = openat(dir, key.file, flags, 0600);

	ck_assert_int_ge(file, 0);
	return file;
}

START_TEST(hashes)
{
	static const struct {
		size_t size;
		const char *digits;
	} known[] = {
		{ 128, "c3582f71ebb2be66fa5dd750f80baae97554f3b015663c8be377cfc"
		       "b2488c1d1" },
		{ 1000, "b372d0608f720c8c3dd41e9c8eecb10143b41abe520b616607e754"
			"bf79c08331" },
	};
	unsigned char data[1000], out[HASH_SIZE];
	char digits[2 * HASH_SIZE + 1];
	struct hash hash;
	size_t i, j, step;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i % 251);
	for (i = 0; i < 2; i++)
		for (step = 1; step < 300; step += 7) {
			hash_start(&hash);
			for (j = 0; j < known[i].size; j += step)
				hash_add(&hash, data + j,
					 known[i].size - j < step
						 ? known[i].size - j
						 : step);
			hash_end(&hash, out);
			for (j = 0; j < HASH_SIZE; j++)
				sprintf(digits + 2 * j, "%02x", out[j]);
			ck_assert_str_eq(digits, known[i].digits);
		}
}
END_TEST

START_TEST(round_trip)
{
	struct cache_key key = key_of(1);
	struct cache_entry entry;

	ck_assert_int_eq(read_key(1), CACHE_ABSENT);
	write_key(1);
	ck_assert_int_eq(read_key(1), CACHE_FOUND);
	/* An empty entry: it notes that the program was built once. */
	ck_assert_uint_gt(cache_file_write(dir, &key, "", "", 0), 0);
	ck_assert_int_eq(cache_file_read(dir, &key, &entry), CACHE_FOUND);
	ck_assert_uint_eq(entry.size, 0);
	ck_assert_str_eq(entry.log, "");
	cache_entry_fini(&entry);
}
END_TEST

START_TEST(cut_at_every_length)
{
	uint64_t size = write_key(1), n;
	int file;

	for (n = 0; n < size; n++) {
		write_key(1);
		file = open_key(1, O_WRONLY);
		ck_assert_int_eq(ftruncate(file, (off_t)n), 0);
		close(file);
		ck_assert_int_eq(read_key(1), CACHE_BAD);
	}
	write_key(1);
	file = open_key(1, O_WRONLY | O_APPEND);
	ck_assert_int_eq(write(file, "", 1), 1);
	close(file);
	ck_assert_int_eq(read_key(1), CACHE_BAD);
}
END_TEST

START_TEST(every_bit_flipped)
{
	uint64_t size = write_key(1), n;
	int file = open_key(1, O_RDWR), bit;
	unsigned char byte;

	for (n = 0; n < size; n++)
		for (bit = 0; bit < 8; bit++) {
			ck_assert_int_eq(pread(file, &byte, 1, (off_t)n), 1);
			byte ^= (unsigned char)(1 << bit);
			ck_assert_int_eq(pwrite(file, &byte, 1, (off_t)n), 1);
			ck_assert_msg(read_key(1) == CACHE_BAD,
				      "byte %d, bit %d", (int)n, bit);
			byte ^= (unsigned char)(1 << bit);
			ck_assert_int_eq(pwrite(file, &byte, 1, (off_t)n), 1);
		}
	close(file);
	ck_assert_int_eq(read_key(1), CACHE_FOUND);
}
END_TEST

START_TEST(another_key)
{
	struct cache_key key = key_of(1);
	struct cache_entry entry;
	char other[] = "which program it is not",
	     like[] = "WHICH program it is";

	write_key(1);
	key.text = other;
	key.size = strlen(other);
	ck_assert_int_eq(cache_file_read(dir, &key, &entry), CACHE_BAD);
	key.text = like;
	key.size = strlen(like);
	ck_assert_int_eq(cache_file_read(dir, &key, &entry), CACHE_BAD);
}
END_TEST

START_TEST(no_file_of_ours)
{
	struct cache_key key = key_of(1), target = key_of(2);

	write_key(2);
	ck_assert_int_eq(symlinkat(target.file, dir, key.file), 0);
	ck_assert_int_eq(read_key(1), CACHE_BAD);
	ck_assert_int_eq(unlinkat(dir, key.file, 0), 0);
	ck_assert_int_eq(mkfifoat(dir, key.file, 0600), 0);
	ck_assert_int_eq(read_key(1), CACHE_BAD);
	ck_assert_int_eq(unlinkat(dir, key.file, 0), 0);
	ck_assert_int_eq(mkdirat(dir, key.file, 0700), 0);
	ck_assert_int_eq(read_key(1), CACHE_BAD);
	ck_assert_int_eq(read_key(2), CACHE_FOUND);
	ck_assert_int_eq(fchmodat(dir, target.file, 0602, 0), 0);
	ck_assert_int_eq(read_key(2), CACHE_BAD);
	ck_assert_int_eq(fchmodat(dir, target.file, 0600, 0), 0);
	ck_assert_int_eq(read_key(2), CACHE_FOUND);
	if (!geteuid()) {
		ck_assert_int_eq(fchownat(dir, target.file, 65534, 65534, 0),
				 0);
		ck_assert_int_eq(read_key(2), CACHE_BAD);
	}
}
END_TEST

static void set_age(unsigned number, time_t seconds)
{
	struct cache_key key = key_of(number);
	struct timespec times[2] = { { time(NULL) - seconds, 0 },
				     { time(NULL) - seconds, 0 } };

	ck_assert_int_eq(utimensat(dir, key.file, times, 0), 0);
}

START_TEST(longest_unused_goes)
{
	uint64_t bytes, files;
	unsigned i;

	for (i = 0; i < 200; i++) {
		write_key(i);
		set_age(i, 1000 - (time_t)i);
	}
	cache_trim_count(dir, &bytes, &files);
	ck_assert_uint_eq(files, 200);
	ck_assert_uint_eq(bytes, 200 * 4096);
	/* The files fit into the limit, so none is removed. */
	ck_assert_uint_eq(cache_trim(dir, bytes), bytes);
	/* File 0 was the oldest, but reading it makes it the newest. */
	ck_assert_int_eq(read_key(0), CACHE_FOUND);
	ck_assert_uint_eq(cache_trim(dir, 160 * 4096), 120 * 4096);
	ck_assert_int_eq(read_key(0), CACHE_FOUND);
	for (i = 1; i <= 80; i++)
		ck_assert_int_eq(read_key(i), CACHE_ABSENT);
	for (; i < 200; i++)
		ck_assert_int_eq(read_key(i), CACHE_FOUND);
	ck_assert_uint_eq(cache_trim_all(dir), 120);
}
END_TEST

START_TEST(drafts)
{
	struct cache_key foreign = { 0, "notes.txt", NULL, 0 };
	uint64_t bytes, files;

	close(openat(dir, foreign.file, O_CREAT | O_WRONLY, 0600));
	close(openat(dir, "draft-1-2-3", O_CREAT | O_WRONLY, 0600));
	cache_trim(dir, 1);
	cache_trim_count(dir, &bytes, &files);
	ck_assert_uint_eq(files, 1);
	ck_assert_int_eq(utimensat(dir, "draft-1-2-3",
				   (struct timespec[]){ { 1, 0 }, { 1, 0 } },
				   0),
			 0);
	cache_trim(dir, 1);
	cache_trim_count(dir, &bytes, &files);
	ck_assert_uint_eq(files, 0);
	ck_assert_uint_eq(cache_trim_all(dir), 0);
	ck_assert_int_eq(faccessat(dir, foreign.file, F_OK, 0), 0);
}
END_TEST

/* --- With the mock ---------------------------------------------------------
 */

static dpr_status build_source(void)
{
	dpr_program *program;
	dpr_status status;

	status = dpr_program_from_source(
		q1, "kernel void add_one(int *x, ulong n);", NULL, &program);
	ck_assert_int_eq(!program, !!status);
	dpr_program_release(program);
	return status;
}

/* Each allocation fails in turn: the program is built all the same, or there is
   a clear error. */
START_TEST(starved)
{
	dpr_status status;
	int warm, built = 0;
	uint64_t n;

	start_mocks();
	for (warm = 0; warm < 2; warm++)
		for (n = 0; n < 60; n++) {
			if (!warm)
				CHECK_OK(dpr_cache_clear(NULL));
			mem_fault_after(n);
			status = build_source();
			mem_fault_clear();
			ck_assert(!status || status == DPR_ERROR_OUT_OF_MEMORY);
			built += !status;
			CHECK_OK(build_source());
		}
	ck_assert_int_gt(built, 20);
	ck_assert_int_eq(cache_dir_files("draft"), 0);
	ck_assert_int_eq(cache_dir_files(".bin"), 1);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MODULE), 0);
}
END_TEST

START_TEST(setuid_program)
{
	dpr_cache_report *report;

	start_mocks();
	env_test_secure(1);
	CHECK_OK(build_source());
	CHECK_OK(dpr_cache_stats(&report));
	ck_assert_str_eq(report->directory, "");
	ck_assert_ptr_nonnull(strstr(report->problem, "setuid"));
	ck_assert_uint_eq(report->misses, 0);
	ck_assert_uint_eq(report->builds, 1);
	dpr_free(report);
	env_test_secure(0);
	CHECK_OK(build_source());
	ck_assert_int_eq(cache_dir_files(".bin"), 1);
}
END_TEST

static bool make_key(struct cache_key *key, dpr_device *device,
		     const dprp_image *image, const char *options)
{
	const struct cache_build build = { .options = options };

	return cache_key_make(key, device, image, &build);
}

static void check_differs(const dprp_image *image, const char *options,
			  const struct cache_key *first)
{
	struct cache_key key;

	ck_assert(make_key(&key, dpr_queue_device(q1), image, options));
	ck_assert_str_ne(key.file, first->file);
	cache_key_fini(&key);
}

START_TEST(keys)
{
	const dprp_image image = { sizeof(image), "opencl-c", NULL, "abc", 3 };
	dpr_device *device;
	const struct cache_build rounded = { .options = "-w",
					     .flags = DPRP_BUILD_ROUNDED };
	dprp_spec values[] = { { 3, 1, "a" }, { 4, 1, "b" } };
	struct cache_build constants = { .options = "-w",
					 .spec = { values, 1 } };
	struct cache_key key, again, other;
	dprp_image changed = image;

	start_mocks();
	device = dpr_queue_device(q1);
	ck_assert(make_key(&key, device, &image, "-w"));
	ck_assert(make_key(&again, device, &image, "-w"));
	ck_assert_str_eq(key.file, again.file);
	ck_assert_str_eq(key.text, again.text);
	ck_assert(cache_file_is(key.file));
	cache_key_fini(&again);
	/* Other flags give another key. */
	ck_assert(cache_key_make(&again, device, &image, &rounded));
	ck_assert_str_ne(key.file, again.file);
	cache_key_fini(&again);
	/* Other values of constants give another file, too. */
	ck_assert(cache_key_make(&again, device, &image, &constants));
	ck_assert_str_ne(key.file, again.file);
	values[0].value = "c";
	ck_assert(cache_key_make(&other, device, &image, &constants));
	ck_assert_str_ne(other.file, again.file);
	cache_key_fini(&other);
	values[0].value = "a";
	constants.spec.n = 2;
	ck_assert(cache_key_make(&other, device, &image, &constants));
	ck_assert_str_ne(other.file, again.file);
	cache_key_fini(&other);
	cache_key_fini(&again);
	check_differs(&image, NULL, &key);
	check_differs(&image, "-w ", &key);
	changed.format = "spirv";
	check_differs(&changed, "-w", &key);
	changed = image;
	changed.target = "x";
	check_differs(&changed, "-w", &key);
	changed = image;
	changed.size = 2;
	check_differs(&changed, "-w", &key);
	changed = image;
	changed.data = "abd";
	check_differs(&changed, "-w", &key);
	/* Another backend gives another file, too. */
	ck_assert(make_key(&other, dpr_queue_device(q2), &image, "-w"));
	ck_assert_str_ne(key.file, other.file);
	/* Programs of these formats are not worth keeping. */
	changed.format = "native-x86_64";
	ck_assert(!make_key(&again, device, &changed, "-w"));
	changed.format = "mock-binary";
	ck_assert(!make_key(&again, device, &changed, "-w"));
	cache_key_fini(&key);
	cache_key_fini(&other);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cache files");
	TCase *files = tcase_create("files"), *mocks = tcase_create("mocks");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(files, open_cache, close_cache);
	tcase_add_test(files, hashes);
	tcase_add_test(files, round_trip);
	tcase_add_test(files, cut_at_every_length);
	tcase_add_test(files, every_bit_flipped);
	tcase_add_test(files, another_key);
	tcase_add_test(files, no_file_of_ours);
	tcase_add_test(files, longest_unused_goes);
	tcase_add_test(files, drafts);
	tcase_add_checked_fixture(mocks, cache_dir_setup, cache_dir_teardown);
	tcase_add_test(mocks, starved);
	tcase_add_test(mocks, setuid_program);
	tcase_add_test(mocks, keys);
	tcase_set_timeout(files, 60);
	tcase_set_timeout(mocks, 60);
	suite_add_tcase(suite, files);
	suite_add_tcase(suite, mocks);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
