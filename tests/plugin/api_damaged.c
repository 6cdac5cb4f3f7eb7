/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plugin files that are cut off or damaged: each is reported as broken, with
 * the sizes, and the process survives.  Each test runs in a process of its own.
 */
#include <elf.h>
#include <link.h>
#include <stddef.h>

#include "tests/support/loader_files.h"

/* Plugin files as they are built: the tests' own, and those that get
   installed. */
static const char *const plugins[] = { "libdpr-mock.so", "libdpr-host.so",
				       "libdpr-opencl.so" };
#define N_PLUGINS (int)(sizeof(plugins) / sizeof(*plugins))

static unsigned char *whole;
static size_t whole_size;

/* Read plugin file @i into `whole`.  Returns 0 if this build does not have
   it. */
static int read_whole(int i)
{
	const char *top = getenv("top_builddir");
	struct stat st;
	char *path;
	int fd;

	if (i)
		ck_assert_int_ge(asprintf(&path, "%s/backends/.libs/%s",
					  top ? top : ".", plugins[i]),
				 0);
	else
		path = files_plugin(plugins[i]);
	fd = open(path, O_RDONLY);
	free(path);
	ck_assert(fd >= 0 || i);
	if (fd < 0)
		return 0;
	ck_assert_int_eq(fstat(fd, &st), 0);
	whole_size = (size_t)st.st_size;
	whole = malloc(whole_size);
	ck_assert_ptr_nonnull(whole);
	ck_assert_int_eq(read(fd, whole, whole_size), st.st_size);
	close(fd);
	return 1;
}

static void teardown(void)
{
	free(whole);
	whole = NULL;
	files_teardown();
}

/* --- Files that end too early ----------------------------------------------
 */

/* Lengths to cut at: around each header and segment, a few at both ends, and
   one in every percent of the file. */
static size_t find_lengths(size_t *list, size_t room)
{
	const ElfW(Ehdr) *h = (const void *)whole;
	const ElfW(Phdr) *s = (const void *)(whole + h->e_phoff);
	size_t n = 0, i;

	for (i = 0; i < 4; i++)
		list[n++] = i;
	list[n++] = sizeof(*h) - 1;
	list[n++] = sizeof(*h);
	list[n++] = h->e_phoff + h->e_phnum * sizeof(*s) - 1;
	list[n++] = h->e_phoff + h->e_phnum * sizeof(*s);
	for (i = 0; i < h->e_phnum && n + 3 < room; i++) {
		size_t end = s[i].p_offset + s[i].p_filesz;

		list[n++] = end;
		list[n++] = end - (end > 0);
		list[n++] = s[i].p_offset + 1;
	}
	for (i = 1; i < 100 && n < room; i++)
		list[n++] = whole_size * i / 100 + i % 7;
	for (i = 1; i < 5 && n < room; i++)
		list[n++] = whole_size - i;
	return n;
}

START_TEST(cut_off)
{
	size_t lengths[256], n, i, count;
	char name[64], words[64];

	if (!read_whole(_i))
		return;
	n = find_lengths(lengths, 256);
	ck_assert_uint_gt(n, 100);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "libdpr-cut%zu.so", lengths[i]);
		files_write(name, whole, lengths[i], 0755);
	}
	files_search();
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &count), DPR_OK);
	ck_assert_uint_eq(count, 0);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "/libdpr-cut%zu.so", lengths[i]);
		snprintf(words, sizeof(words), "it has %zu bytes", lengths[i]);
		files_assert(1, name, DPR_PLUGIN_BROKEN, words);
		ck_assert_ptr_nonnull(
			strstr(files_line(1, name)->advice, "install"));
		if (lengths[i] < sizeof(ElfW(Ehdr)))
			continue;
		/* The right size is in the error only if the section headers,
		   from which it is computed, are missing. */
		snprintf(words, sizeof(words), "require %zu", whole_size);
		if (((const ElfW(Ehdr) *)whole)->e_shoff < whole_size)
			files_assert(1, name, DPR_PLUGIN_BROKEN, words);
	}
}
END_TEST

START_TEST(cut_off_and_named)
{
	char *path = files_path("x.so");
	size_t n;

	ck_assert(read_whole(0));
	files_write("x.so", whole, whole_size / 20, 0755);
	if (_i)
		ck_assert_int_eq(dpr_plugin_add(path), DPR_OK);
	else
		setenv("DPR_PLUGINS", path, 1);
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &n),
			 DPR_ERROR_PLUGIN);
	files_assert_error(path);
	files_assert_error("it is incomplete: it has ");
	files_assert_error("install this plugin again");
	files_assert(1, "/x.so", DPR_PLUGIN_BROKEN, "require ");
	free(path);
}
END_TEST

/* A plugin file left by an interrupted installation does not hide a complete
   file in a later folder. */
START_TEST(cut_off_shadows_nothing)
{
	char *first = files_path("first"), *both;
	size_t n;

	ck_assert(read_whole(0));
	ck_assert_int_eq(mkdir(first, 0755), 0);
	files_write("first/libdpr-mock.so", whole, whole_size / 10, 0755);
	files_write("libdpr-mock.so", whole, whole_size, 0755);
	ck_assert_int_ge(asprintf(&both, "%s:%s", first, files_folder), 0);
	setenv("DPR_PLUGIN_PATH", both, 1);
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &n), DPR_OK);
	ck_assert_uint_eq(n, 1);
	files_assert(1, "first/libdpr-mock.so", DPR_PLUGIN_BROKEN,
		     "incomplete");
	free(first);
	free(both);
}
END_TEST

/* --- Files that are damaged ------------------------------------------------
 */

static ElfW(Ehdr) * header(void)
{
	return (void *)whole;
}

/* Returns the first program header of type @type. */
static ElfW(Phdr) * segment(uint32_t type)
{
	ElfW(Phdr) *s = (void *)(whole + header()->e_phoff);
	int i;

	for (i = 0; i < header()->e_phnum; i++) {
		if (s[i].p_type == type)
			return &s[i];
	}
	ck_abort_msg("there is no program header of type %u", (unsigned)type);
	return NULL;
}

static void zeros(size_t from, size_t to)
{
	memset(whole + from, 0, to - from);
}

/* Returns the entry of the dynamic section with tag @tag. */
static ElfW(Dyn) * entry(ElfW(Sxword) tag)
{
	ElfW(Dyn) *d = (void *)(whole + segment(PT_DYNAMIC)->p_offset);

	while (d->d_tag != tag && d->d_tag != DT_NULL)
		d++;
	ck_assert_int_eq(d->d_tag, tag);
	return d;
}

static void no_end(void)
{
	const ElfW(Phdr) *s = segment(PT_DYNAMIC);
	ElfW(Dyn) *d = (void *)(whole + s->p_offset);
	size_t i;

	for (i = 0; i < s->p_filesz / sizeof(*d); i++) {
		if (d[i].d_tag == DT_NULL)
			d[i].d_tag = DT_DEBUG;
	}
}

/* Do damage number @what.  Returns the words that the report must have. */
static const char *spoil(int what)
{
	ElfW(Ehdr) *h = header();

	switch (what) {
	case 0: zeros(0, sizeof(*h)); return "not an ELF file";
	case 1: zeros(0, whole_size); return "not an ELF file";
	case 2: h->e_ident[EI_CLASS] ^= 3; return "ELF class";
	case 3: h->e_ident[EI_DATA] ^= 3; return "byte order";
	case 4: h->e_machine ^= 0x55; return "for ELF machine ";
	case 5: h->e_version = 2; return "version 2";
	case 6: h->e_ident[EI_VERSION] = 0; return "version";
	case 7: h->e_type = ET_REL; return "ELF type 1";
	case 8: h->e_phnum = 0; return "0 program headers";
	case 9: h->e_phentsize = 8; return "of 8 bytes";
	case 10: h->e_phnum = 65535; return "incomplete";
	case 11: h->e_phoff = whole_size + 64; return "incomplete";
	case 12: h->e_phoff = whole_size - 8; return "incomplete";
	case 13: h->e_phoff = (ElfW(Off)) - 8; return "incomplete";
	case 14: h->e_shoff = (ElfW(Off)) - 8; return "incomplete";
	case 15: h->e_shoff = whole_size; return "incomplete";
	case 16: h->e_shnum = 65000; return "incomplete";
	case 17: h->e_shentsize = 1; return "section headers of 1 byte";
	case 18: h->e_shstrndx = h->e_shnum; return "section headers";
	case 19: segment(PT_LOAD)->p_filesz = whole_size + 1; return "require";
	case 20: segment(PT_LOAD)->p_offset = whole_size; return "require";
	case 21:
		segment(PT_LOAD)->p_filesz = (ElfW(Xword)) - 1;
		return "require";
	case 22: segment(PT_DYNAMIC)->p_type = PT_NULL; return "no dynamic";
	case 23: segment(PT_DYNAMIC)->p_vaddr = 1 << 30; return "dynamic";
	case 24: segment(PT_DYNAMIC)->p_filesz = 0; return "dynamic";
	case 25: entry(DT_STRTAB)->d_un.d_ptr = 1 << 30; return "dynamic";
	case 26: entry(DT_SYMTAB)->d_un.d_ptr = 1 << 30; return "dynamic";
	case 27: entry(DT_STRTAB)->d_tag = DT_DEBUG; return "dynamic";
	case 28: entry(DT_SYMTAB)->d_tag = DT_DEBUG; return "dynamic";
	case 29: no_end(); return "dynamic";
	case 30:
		zeros(segment(PT_DYNAMIC)->p_offset,
		      segment(PT_DYNAMIC)->p_offset +
			      segment(PT_DYNAMIC)->p_filesz);
		return "dynamic";
	case 31:
		((ElfW(Shdr) *)(whole + h->e_shoff))[1].sh_size = 1 << 30;
		return "incomplete";
	/* The length is right, but the end of the file was never written. */
	default:
		zeros(whole_size * (size_t)(what - 31) / 20, whole_size);
		return "section headers at byte";
	}
}
#define N_SPOILT (31 + 20)

START_TEST(damaged)
{
	const char *words;
	size_t n;

	ck_assert(read_whole(0));
	words = spoil(_i);
	files_write("libdpr-mock.so", whole, whole_size, 0755);
	files_search();
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &n), DPR_OK);
	ck_assert_uint_eq(n, 0);
	files_assert(1, "/libdpr-mock.so", DPR_PLUGIN_BROKEN, words);
}
END_TEST

/* --- Files that are whole --------------------------------------------------
 */

/* The file works without section headers, which some tools remove, and with
   bytes appended. */
START_TEST(whole_without_sections)
{
	size_t n;

	ck_assert(read_whole(0));
	whole = realloc(whole, whole_size + 1000);
	ck_assert_ptr_nonnull(whole);
	memset(whole + whole_size, 'x', 1000);
	if (_i) {
		header()->e_shoff = 0;
		header()->e_shnum = 0;
		header()->e_shstrndx = 0;
	}
	files_write("libdpr-mock.so", whole, whole_size + 1000, 0755);
	files_search();
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &n), DPR_OK);
	ck_assert_msg(n == 1, "%s", files_line(1, "/libdpr-mock.so")->text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("damaged plugins");
	TCase *tcase = tcase_create("damaged");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, files_setup, teardown);
	tcase_add_loop_test(tcase, cut_off, 0, N_PLUGINS);
	tcase_add_loop_test(tcase, cut_off_and_named, 0, 2);
	tcase_add_test(tcase, cut_off_shadows_nothing);
	tcase_add_loop_test(tcase, damaged, 0, N_SPOILT);
	tcase_add_loop_test(tcase, whole_without_sections, 0, 2);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
