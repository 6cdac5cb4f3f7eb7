/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_abi.c - sizes, offsets and numbers of the plugin ABI and of the public
 * structs are those of abi_plugin.def and abi_public.def, and the types of the
 * entries of plugins those of abi_entries.def.
 *
 * A failure here means that plugins or programs have to be rebuilt: doc/abi.md
 * says what may change, and how.  Only then change the .def file.  The list in
 * tests/fixtures/backend-1.0 never changes.  All of its names must stay, and
 * only structs with a member struct_size may become longer.
 */
#include <check.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/backend.h>
#include <dpr/dlpack.h>
#include <dpr/dpr.h>

/* What the headers have now, and what they must have. */
struct line {
	const char *name;
	long long now, golden;
	bool is_size;
};

#define S(type, size) { #type, (long long)sizeof(type), size, true },
#define M(type, member, offset) \
	{ #type "." #member, (long long)offsetof(type, member), offset, false },
#define K(name, value) { #name, (long long)(name), value, false },
static const struct line plugin_abi[] = {
#include "tests/author/abi_plugin.def"
};
static const struct line public_abi[] = {
#include "tests/author/abi_public.def"
};
static const struct line released_abi[] = {
#include "tests/fixtures/backend-1.0/abi_plugin.def"
};
#undef S
#undef M
#undef K
#define N_PLUGIN (sizeof(plugin_abi) / sizeof(*plugin_abi))
#define N_PUBLIC (sizeof(public_abi) / sizeof(*public_abi))
#define N_RELEASED (sizeof(released_abi) / sizeof(*released_abi))

/* An entry of plugins has the type with its name.  This type is that of version
   1.0. */
struct entry {
	const char *type;
	bool is_type, is_as_released;
};

/* clang-format off */
#define ENTRY(table, member, fn, result, parameters) \
	{ #fn, \
	  _Generic(((table *)NULL)->member, fn *: true, default: false), \
	  _Generic((fn *)NULL, result (*)parameters: true, default: false) },
/* clang-format on */
static const struct entry entries[] = {
#include "tests/author/abi_entries.def"
};
#undef ENTRY
#define N_ENTRIES (sizeof(entries) / sizeof(*entries))

static void compare(const struct line *lines, size_t n)
{
	unsigned different = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (lines[i].now != lines[i].golden) {
			printf("%s is %lld, not %lld\n", lines[i].name,
			       lines[i].now, lines[i].golden);
			different++;
		}
	ck_assert_msg(!different,
		      "%u numbers differ; doc/abi.md says who must "
		      "be rebuilt",
		      different);
}

START_TEST(numbers)
{
	const unsigned char *bytes;
	const uint64_t magic = DPRP_MAGIC;

	compare(plugin_abi, N_PLUGIN);
	compare(public_abi, N_PUBLIC);
	bytes = (const unsigned char *)&magic;
	ck_assert_int_eq(memcmp(bytes, "rdprplp1", 8), 0);
	ck_assert_str_eq(DPRP_ENTRY_SYMBOL, "dpr_plugin_abi1");
	ck_assert_uint_eq(sizeof(dprp_rc), 4);
}
END_TEST

/* Whether a number may be larger than in version 1.0. */
static bool may_grow(const struct line *line)
{
	static const char *const fixed[] = { "dprp_arg", "dprp_spec",
					     "dprp_param", "dprp_native_kernel",
					     "dprp_sink" };
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (!strcmp(line->name, fixed[i]))
			return false;
	return line->is_size || !strcmp(line->name, "DPRP_ABI_MINOR");
}

/* Version 1.0 is all there. */
START_TEST(released)
{
	unsigned different = 0;
	size_t i;

	for (i = 0; i < N_RELEASED; i++) {
		const struct line *line = &released_abi[i];

		if (line->now == line->golden ||
		    (may_grow(line) && line->now > line->golden))
			continue;
		printf("%s is %lld, not %lld as in version 1.0\n", line->name,
		       line->now, line->golden);
		different++;
	}
	ck_assert_uint_gt(N_RELEASED, 200);
	ck_assert_msg(!different, "%u numbers differ from version 1.0",
		      different);
}
END_TEST

START_TEST(entry_types)
{
	const char *top = getenv("top_srcdir");
	char path[4096], text[1024], type[128], name;
	unsigned members = 0;
	FILE *file;
	size_t i;
	int n;

	for (i = 0; i < N_ENTRIES; i++) {
		ck_assert_msg(entries[i].is_type, "no entry has the type %s",
			      entries[i].type);
		ck_assert_msg(entries[i].is_as_released,
			      "%s is another type than it was",
			      entries[i].type);
	}
	/* An entry that is new gets its line. */
	snprintf(path, sizeof(path), "%s/include/dpr/backend.h",
		 top ? top : ".");
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	while (fgets(text, sizeof(text), file)) {
		n = sscanf(text, "\tdprp_%127[a-z0-9_] *%c", type, &name);
		if (n != 2 || !strstr(type, "_fn"))
			continue;
		members++;
		for (i = 0; i < N_ENTRIES; i++)
			if (!strcmp(entries[i].type + strlen("dprp_"), type))
				break;
		ck_assert_msg(i < N_ENTRIES,
			      "dprp_%s is not in abi_entries.def", type);
	}
	fclose(file);
	ck_assert_uint_eq(members, N_ENTRIES);
}
END_TEST

static bool is_listed(const char *name)
{
	size_t i;

	for (i = 0; i < N_PLUGIN; i++)
		if (!strcmp(plugin_abi[i].name, name))
			return true;
	for (i = 0; i < N_PUBLIC; i++)
		if (!strcmp(public_abi[i].name, name))
			return true;
	return false;
}

/* Count the structs of a header, and those that no .def file has. */
static void count_structs(const char *path, unsigned *all, unsigned *missing)
{
	char text[1024], name[128], brace;
	FILE *file = fopen(path, "r");

	ck_assert_msg(file != NULL, "%s", path);
	while (fgets(text, sizeof(text), file)) {
		if (sscanf(text, "typedef struct %127[a-z0-9_] %c", name,
			   &brace) != 2 ||
		    brace != '{')
			continue;
		(*all)++;
		if (is_listed(name))
			continue;
		printf("%s: struct %s is in no .def file\n", path, name);
		(*missing)++;
	}
	fclose(file);
}

/* A struct that is new gets its lines. */
START_TEST(all_structs)
{
	const char *top = getenv("top_srcdir");
	unsigned all = 0, missing = 0;
	const struct dirent *entry;
	char path[4096];
	DIR *folder;

	snprintf(path, sizeof(path), "%s/include/dpr", top ? top : ".");
	folder = opendir(path);
	ck_assert_msg(folder != NULL, "%s", path);
	while ((entry = readdir(folder))) {
		size_t n = strlen(entry->d_name);

		/* Inline code is part of every plugin that includes it. */
		if (n < 3 || strcmp(entry->d_name + n - 2, ".h") != 0 ||
		    !strncmp(entry->d_name, "help-", 5))
			continue;
		snprintf(path, sizeof(path), "%s/include/dpr/%s",
			 top ? top : ".", entry->d_name);
		count_structs(path, &all, &missing);
	}
	closedir(folder);
	ck_assert_uint_gt(all, 50);
	ck_assert_uint_eq(missing, 0);
}
END_TEST

int main(void)
{
	const uint16_t one = 1;
	SRunner *runner;
	TCase *tcase;
	Suite *suite;
	int failed;

	if (sizeof(void *) != 8 || sizeof(size_t) != 8 ||
	    !*(const unsigned char *)&one) {
		puts("skipped: the numbers are for 64-bit little-endian "
		     "machines");
		return 77;
	}
	suite = suite_create("layouts");
	tcase = tcase_create("abi");
	runner = srunner_create(suite);
	tcase_add_test(tcase, numbers);
	tcase_add_test(tcase, entry_types);
	tcase_add_test(tcase, all_structs);
	tcase_add_test(tcase, released);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
