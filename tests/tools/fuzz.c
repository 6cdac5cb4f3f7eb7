/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.c - random input for everything that parses text or files of others.
 *
 * usage: fuzz [TARGET [SECONDS [SEED]]]: runs each target, or only TARGET, for
 * SECONDS (DPR_TEST_SECONDS, or 0.4) each, from a seed on (DPR_TEST_SEED, or
 * 1), which it prints.  Inputs are valid ones, cut, joined and damaged.  If a
 * check fails, the process prints the input and ends; if it crashes, the input
 * is in tests/cache/fuzz-TARGET.  Most useful under AddressSanitizer, which
 * sees a read just beyond the input, since each input is an allocation of its
 * own size.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <dpr/device.h>
#include <dpr/runtime.h>

#include "backends/cuda/rewrite/cuda_ptx.h"
#include "backends/cuda/rewrite/cuda_rewrite.h"
#include "backends/level_zero/spirv/ze_spirv.h"
#include "core/base/env.h"
#include "core/base/log.h"
#include "core/base/settings.h"
#include "core/runtime/device/selector.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/plugin/backends.h"
#include "core/runtime/plugin/descriptor.h"
#include "core/runtime/program/cache.h"
#include "core/runtime/program/cache_file.h"
#include "core/runtime/program/spec.h"
#include "tests/support/spirv_constants.h"
#include "tests/tools/fuzz.h"

#define MAX_INPUT 4096
/* The most seeds and words of a target. */
#define SEEDS 9
#define WORDS 29

static uint64_t state;
static unsigned char *kept; /* the current input, mapped from a file */

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static size_t below(size_t n)
{
	return n ? (size_t)(next() % n) : 0;
}

void fuzz_die(const char *what)
{
	uint64_t size;

	memcpy(&size, kept, sizeof(size));
	fprintf(stderr, "fuzz: %s, of %llu bytes:\n", what,
		(unsigned long long)size);
	fwrite(kept + sizeof(size), 1, size, stderr);
	fputc('\n', stderr);
	exit(1);
}

/* --- Targets --------------------------------------------------------------
 * Each gets an input with a zero byte after it.
 */

static void a_selector(char *text, size_t size)
{
	dpr_status status;
	size_t n = 0, again = 0;

	(void)size;
	status = dpr_device_enumerate(text, NULL, 0, &n);
	CHECK(status == DPR_OK || status == DPR_ERROR_SELECTOR ||
	      status == DPR_ERROR_NOT_FOUND);
	if (status)
		CHECK(*dpr_last_error());
	else
		CHECK(!dpr_device_enumerate(text, NULL, 0, &again) &&
		      n == again);
}

static void a_variable(char *text, size_t size)
{
	static const char *const names[] = { "DPR_POOL_LIMIT", "DPR_BACKEND",
					     "DPR_LAYERS", "DPR_CACHE_LIMIT" };
	struct backend_choice choice;
	dpr_status status = DPR_OK;
	const size_t which = below(sizeof(names) / sizeof(names[0]));

	CHECK(!setenv(names[which], text, 1));
	env_test_again();
	CHECK(!env_start());
	switch (which) {
	case 0: status = settings_pool_limit_read(); break;
	case 1:
		status = backends_read(&choice);
		if (!status)
			backends_drop(&choice);
		break;
	case 2: status = settings_layers_read(); break;
	case 3: status = settings_cache_read(); break;
	}
	CHECK(status == DPR_OK || status == DPR_ERROR_ENVIRONMENT);
	if (status)
		CHECK(strstr(dpr_last_error(), names[which]));
	log_level_of(text, size);
	unsetenv(names[which]);
}

/* A file of the program cache, with the input as the program. */
static void a_cached_program(char *text, size_t size)
{
	static const char good[] = "what is built";
	struct cache_key key = { .file = "0123456789abcdef0123456789abcdef.bin",
				 .text = (char *)(uintptr_t)good,
				 .size = sizeof(good) };
	struct cache_entry entry = { 0 };
	enum cache_state found;
	static int dir = -1;
	char path[4200];
	int file;

	if (dir < 0) {
		const char *build = getenv("top_builddir");

		snprintf(path, sizeof(path), "%s/tests/cache/fuzz",
			 build ? build : ".");
		mkdir(path, 0700);
		dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		CHECK(dir >= 0);
	}
	CHECK(cache_file_write(dir, &key, "log", text, size) > 0);
	CHECK(cache_file_read(dir, &key, &entry) == CACHE_FOUND);
	CHECK(entry.size == size && !memcmp(entry.binary, text, size) &&
	      !strcmp(entry.log, "log"));
	cache_entry_fini(&entry);
	/* Damage one bit of the file, or cut off its end. */
	file = openat(dir, key.file, O_RDWR | O_CLOEXEC);
	CHECK(file >= 0);
	if (next() % 4) {
		struct stat st;
		unsigned char byte;
		off_t at;

		CHECK(!fstat(file, &st));
		at = (off_t)below((size_t)st.st_size);
		CHECK(pread(file, &byte, 1, at) == 1);
		byte ^= (unsigned char)(1u << below(8));
		CHECK(pwrite(file, &byte, 1, at) == 1);
	} else {
		CHECK(!ftruncate(file, (off_t)below(size + 80)));
	}
	close(file);
	found = cache_file_read(dir, &key, &entry);
	CHECK(found == CACHE_BAD || found == CACHE_ABSENT);
	unlinkat(dir, key.file, 0);
}

static void *take_memory(dprp_host_instance *self, size_t size)
{
	(void)self;
	return malloc(size);
}

static void free_memory(dprp_host_instance *self, void *block)
{
	(void)self;
	free(block);
}

static const dprp_host plain_host = { .alloc = take_memory,
				      .free = free_memory };

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* OpenCL C that is rewritten for CUDA: lines must keep their numbers. */
static void a_source(char *text, size_t size)
{
	static const char mark[] = "#line 1 \"<source>\"\n";
	struct cuda_rewrite rewrite;
	const char *tail;
	dprp_rc rc = cuda_rewrite_source(&rewrite, &plain_host, text, size,
					 size & 1 ? "-DN=16 -DT=float4" : NULL);

	CHECK(rc == DPR_RC_OK || rc == DPR_RC_INVALID);
	if (rc) {
		CHECK(rewrite.log.size);
	} else {
		tail = strstr(rewrite.text.bytes, mark);
		CHECK(tail);
		/* Three line ends are ours. */
		CHECK(count_lines(tail + strlen(mark)) ==
		      count_lines(text) + 3);
	}
	cuda_rewrite_free(&rewrite);
}

/* Read PTX, and write the table that it gives.  Reading this table back must
   give the same. */
static void a_ptx(char *text, size_t size)
{
	struct cuda_table table = { .strings.host = &plain_host };
	struct cuda_table again = { .strings.host = &plain_host };
	struct cuda_text out = { .host = &plain_host };
	struct cuda_binary binary = { 9, 0, text, size };
	const char *what;

	CHECK(cuda_ptx_kernels(text, size, &table));
	cuda_ptx_is_rounded(text, size, &what);
	cuda_table_is_cubin(text, size);
	cuda_table_write(&table, &binary, &out);
	CHECK(!out.failed);
	/* The table is read back, but the code is refused, as it is not a
	   cubin. */
	what = cuda_table_read(&again, out.bytes, out.size, &binary);
	CHECK(what && again.n == table.n && binary.size == size);
	cuda_table_free(&again);
	again = (struct cuda_table){ .strings.host = &plain_host };
	CHECK(cuda_table_read(&again, text, size, &binary));
	cuda_table_free(&again);
	cuda_text_free(&out);
	cuda_table_free(&table);
}

/* If a module can be read, its outline must describe the same kernels. */
static void a_spirv(char *text, size_t size)
{
	struct ze_spirv spirv = { .host = &plain_host }, again = spirv;
	dprp_spec values[] = { { 3, 4, text }, { 200, 2, text } };
	const struct spec spec = { values, 2 };
	const char *wrong;
	uint32_t i;

	CHECK(!spec_check(&spec, text, size) || *dpr_last_error());
	if (ze_spirv_read(&spirv, text, size, &wrong))
		return;
	CHECK(!ze_spirv_read(&again, spirv.outline, spirv.outline_size,
			     &wrong));
	CHECK(again.n_kernels == spirv.n_kernels);
	for (i = 0; i < spirv.n_kernels; i++) {
		CHECK(again.kernels[i].n_params == spirv.kernels[i].n_params);
		CHECK(!memcmp(again.kernels[i].required,
			      spirv.kernels[i].required,
			      sizeof(spirv.kernels[i].required)));
	}
	ze_spirv_free(&again);
	ze_spirv_free(&spirv);
}

/* The descriptor and tables of tests/plugins/bad.c, with some words damaged. */
static void a_descriptor(char *text, size_t size)
{
	static dprp_plugin *desc, saved;
	static void *handle, *entry;
	struct text why = { 0 };
	struct plugin plugin;
	uintptr_t words[sizeof(saved) / sizeof(uintptr_t)];

	if (!handle) {
		const char *dir = getenv("DPR_TEST_PLUGIN_DIR");
		const dprp_plugin *(*function)(uint32_t);
		char path[4200];

		unsetenv("DPR_TEST_BAD");
		snprintf(path, sizeof(path), "%s/bad.so",
			 dir ? dir : "tests/plugins/.libs");
		handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!handle)
			fuzz_die(dlerror());
		entry = dlsym(handle, DPRP_ENTRY_SYMBOL);
		CHECK(entry);
		memcpy(&function, &entry, sizeof(function));
		desc = (dprp_plugin *)(uintptr_t)function(DPRP_ABI_MINOR);
		saved = *desc;
	}
	*desc = saved;
	CHECK(descriptor_read(handle, entry, &plugin, &why));
	memcpy(words, desc, sizeof(words));
	for (size_t i = 0; i < size && i < 3; i++) {
		const size_t at = (unsigned char)text[i] % (sizeof(words) / 8);

		switch (next() % 5) {
		case 0: words[at] = 0; break;
		case 1: words[at] = (uintptr_t)next(); break;
		case 2: words[at] += below(64) - 32; break;
		case 3: words[at] = words[below(sizeof(words) / 8)]; break;
		default: words[at] ^= (uintptr_t)1 << below(64); break;
		}
	}
	memcpy(desc, words, sizeof(words));
	memset(&plugin, 0, sizeof(plugin));
	if (!descriptor_read(handle, entry, &plugin, &why))
		CHECK(*text_get(&why));
	text_fini(&why);
	*desc = saved;
}

/* --- Inputs ----------------------------------------------------------------
 */

#define NPY(version, length, text) "\x93NUMPY" version length text

static const struct target {
	const char *name;
	void (*run)(char *text, size_t size);
	const char *seeds[SEEDS], *words[WORDS];
} targets[] = {
	{ "selector",
	  a_selector,
	  { "gpu", "opencl:cpu:0.1+fp64-cpu,!host", "host:cpu:0/counts:2+6.1",
	    "pci:0000:17:00.0", "uuid:00112233445566778899aabbccddeeff",
	    "0/equally:1.0", "+fp64", "host:0/domain:numa.1" },
	  { "gpu",
	    "cpu",
	    "host",
	    "opencl",
	    ":",
	    ",",
	    "!",
	    "+",
	    "-",
	    "/",
	    ".",
	    "counts:",
	    "equally:",
	    "domain:",
	    "pci:",
	    "uuid:",
	    "fp64",
	    "emulated",
	    "18446744073709551616",
	    "4294967295",
	    " ",
	    "0",
	    "\t",
	    "accelerator" } },
	{ "expression",
	  fuzz_expression,
	  { "sqrt(x*x + y*y)", "sum(x, axis=(0, -1), keepdims=True) ** -2",
	    "~a & b | c ^ 3 == 0x1f",
	    "where(x > 1e-3, 'text', 1_000j) // 2 % 7", "((1, 2), (), (3,))",
	    "-1.5e308 * 10 + 9223372036854775807", "\"a\\\"b\" != f(g(h()))",
	    "a = x - 1; b = f(a); sum(a*b), index(1)",
	    "x[1:-1, ::2] + (y*2)[..., None, 0][-3:0:-1, newaxis]" },
	  { "(",       ")",     ",",     "**",
	    "//",      "==",    "<=",    "~",
	    "-",       "+",     "1e999", "0x",
	    "0b1",     ";",     "a = ",  "1__0",
	    ".",       "j",     "'",     "\"",
	    "\\",      "axis=", "[",     "]",
	    ":",       "...",   "None",  "18446744073709551616",
	    "\xc3\xa9" } },
	{ "definition",
	  fuzz_definition,
	  { "f(a, b) = a*b + g(a)", "g(a) = where(a > 0, a, -pi)",
	    "h(x, axis,) = sum(x, axis=axis)", "f2() = f(f(1, 2), b=3)",
	    "i(a) = b = a[1:]; b[..., 0] - a[:-1, None]" },
	  { "(", ")", "=", ",", "f", "g(", "a", "b", "axis=", "True", "pi",
	    "**", "sum(", "f(", "x" } },
	{ "npy-header",
	  fuzz_npy_header,
	  { "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }",
	    "{'shape': (), 'descr': '|b1', 'fortran_order': True}\n",
	    "{\"descr\": \">c16\", \"fortran_order\": False, \"shape\": (7,)} ",
	    "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 99999L)}" },
	  { "'descr'",
	    "'shape'",
	    "'fortran_order'",
	    "True",
	    "False",
	    "(",
	    ")",
	    "{",
	    "}",
	    ",",
	    ":",
	    "'",
	    "\\",
	    "<f8",
	    "=i2",
	    "9223372036854775807",
	    "4294967296",
	    "-1",
	    "0",
	    "1,",
	    " ",
	    "\n",
	    "[('a', '<f4')]",
	    "#" } },
	{ "npy-file",
	  fuzz_npy_file,
	  { NPY("\1", "\0", "v"), "\x93NUMPY" },
	  { "\x93NUMPY\1", "\2", "\3", "v", "\xff", "'descr'", "'<f4'",
	    "'shape'", "(4,)", "'fortran_order'", "False", "{", "}", "\n",
	    " " } },
#ifdef HAVE_ZLIB
	{ "npz-file",
	  fuzz_npz_file,
	  { "PK\5\6", "PK\1\2" },
	  { "PK\1\2", "PK\3\4", "PK\5\6", "PK\6\6", "PK\6\7", "\1",
	    "\xff\xff\xff\xff", ".npy", "\x08", "\x93NUMPY" } },
#endif
	{ "environment",
	  a_variable,
	  { "4G", "80%", "host,opencl", "^cuda", "sync,trace", "1048576",
	    "debug:/tmp/x", "512MiB" },
	  { "%", "K", "iB", "^", ",", "sync", "trace", "host", "mock", "-1",
	    "18446744073709551616", "0", "101%", " ", "\t", "T", "e9",
	    "0x10" } },
	{ "cache",
	  a_cached_program,
	  { "binary",
	    "\x7f"
	    "ELF",
	    "" },
	  { "a", "\xff\xff\xff\xff" } },
	{ "opencl-c",
	  a_source,
	  { "kernel void k(global int *x, local float *t) { x[0] = t[1]; }",
	    "constant float4 t[2] = { (float4)(1, 2, 3, 4), (float4)(0) };\n",
	    "#define K(T) kernel void k_##T(global T *x, local T y[]) \\\n"
	    "{ local T z[4]; (*x).xy = y[0].yx; }\nK(int)",
	    "__attribute__((reqd_work_group_size(N, 1, 1)))\nkernel void f() {}",
	    "struct s { int lo; }; typedef struct s t; t x = (t){ 1 };",
	    "#pragma OPENCL EXTENSION x : enable\n// \\\n/* \n */ \"x\"" },
	  { "kernel ",
	    "local ",
	    "constant ",
	    "(",
	    ")",
	    "{",
	    "}",
	    "float4",
	    "__attribute__((",
	    "reqd_work_group_size(",
	    "#define ",
	    "##",
	    "\n",
	    "\\\n",
	    ".s01",
	    ".hi",
	    "=",
	    "/*",
	    "//",
	    "\"",
	    "'",
	    "*",
	    "[",
	    "typedef " } },
	{ "ptx",
	  a_ptx,
	  { ".visible .entry f(\n\t.param .u64 .ptr .global .align 4 x,\n"
	    "\t.param .align 8 .b8 y[272]\n)\n.reqntid 16, 8\n{ ret; }",
	    ".entry g() { div.full.f32 %f1, %f2; }", ".entry h { }" },
	  { ".entry ", ".param ", ".b8 ", ".u64 ", "[", "]", "(", ")", ",", "{",
	    "//", "/*", "\n", ".reqntid ", "16777217", "32765" } },
	{ "trace",
	  fuzz_trace,
	  { "[\n{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5.001,\"dur\":2.5,"
	    "\"cat\":\"api\",\"name\":\"dpr_add\",\"args\":{\"bytes\":64}},\n"
	    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":4,\"dur\":9,\"cat\":\"api\","
	    "\"name\":\"outer\",\"args\":{\"error\":\"x\"}}\n]\n",
	    "[{\"ph\":\"M\",\"pid\":3,\"tid\":4,\"name\":\"thread_name\",\"args\":"
	    "{\"name\":\"q, 2\"}},\n{\"ph\":\"X\",\"pid\":3,\"tid\":4,\"ts\":1,"
	    "\"dur\":2,\"cat\":\"kernel\",\"name\":\"x*\\u00e9\",\"args\":"
	    "{\"kernel\":\"e\"}}]",
	    "[{\"ph\":\"b\",\"cat\":\"copy\",\"id\":1,\"ts\":3},\n"
	    "{\"ph\":\"e\",\"cat\":\"copy\",\"id\":1,\"ts\":7}]" },
	  { "{", "}", "[", "]", ",", ":", "\"args\":{", "\\ud83d", "\\u0000",
	    "\"dur\":", "-1", "1e400", "{\"ph\":\"X\"", "\"cat\":\"api\"",
	    "null", "\n" } },
	{ "emit", fuzz_emit, { "some", "" }, { "a", "b", "\1", "\377" } },
	{ "spirv", a_spirv, { "\3\2#\7" }, { "\1", "\4", "\66", "\377\377" } },
	{ "descriptor",
	  a_descriptor,
	  { "\1\2\3", "\4", "\20\21\22" },
	  { "\5", "\6", "\7", "\10", "\11", "\12", "\13", "\14" } },
};

#define N_TARGETS (sizeof(targets) / sizeof(targets[0]))

static size_t count_words(const char *const *list, size_t room)
{
	size_t n = 0;

	while (n < room && list[n])
		n++;
	return n;
}

/* Damage @size bytes at @p, which has room for MAX_INPUT.  Returns the new
   size. */
static size_t spoil(const struct target *t, unsigned char *p, size_t size)
{
	const size_t n = count_words(t->words, WORDS), at = below(size + 1);
	const char *word = t->words[below(n)];
	size_t length = strlen(word), cut;

	switch (next() % 6) {
	case 0: /* flip a bit */
		if (at < size)
			p[at] ^= (unsigned char)(1u << below(8));
		return size;
	case 1: /* set a byte */
		if (at < size)
			p[at] = (unsigned char)next();
		return size;
	case 2: /* remove a piece */
		cut = below(size - at + 1);
		memmove(p + at, p + at + cut, size - at - cut);
		return size - cut;
	case 3: /* repeat a piece */
		length = below(size - at + 1);
		if (size + length > MAX_INPUT)
			return size;
		memmove(p + at + length, p + at, size - at);
		return size + length;
	default: /* insert a word */
		if (size + length > MAX_INPUT)
			return size;
		memmove(p + at + length, p + at, size - at);
		memcpy(p + at, word, length);
		return size + length;
	}
}

static size_t make_input(const struct target *t, unsigned char *p)
{
	const char *seed = t->seeds[below(count_words(t->seeds, SEEDS))];
	size_t size = strlen(seed), times = below(8);

	memcpy(p, seed, size);
	if (t->run == fuzz_npy_file && next() % 8)
		size = fuzz_npy_sound(p);
#ifdef HAVE_ZLIB
	if (t->run == fuzz_npz_file && next() % 8)
		size = fuzz_npz_sound(p, MAX_INPUT, next() % 2);
#endif
	if (t->run == a_spirv && next() % 8) {
		size = sizeof(spirv_constants);
		memcpy(p, spirv_constants, size);
	}
	while (times-- > 0)
		size = spoil(t, p, size);
	/* Now and then, double the input: deep nesting and long runs. */
	while (next() % 64 == 0 && size && size * 2 <= MAX_INPUT) {
		memcpy(p + size, p, size);
		size *= 2;
	}
	return size;
}

static void keep_in_file(const char *name)
{
	const char *build = getenv("top_builddir");
	const size_t size = sizeof(uint64_t) + MAX_INPUT;
	char path[4200];
	int file;

	snprintf(path, sizeof(path), "%s/tests/cache", build ? build : ".");
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/tests/cache/fuzz-%s",
		 build ? build : ".", name);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	kept = MAP_FAILED;
	if (file >= 0 && !ftruncate(file, (off_t)size))
		kept = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
			    file, 0);
	if (kept == MAP_FAILED) {
		perror(path);
		exit(99);
	}
	close(file);
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_target(const struct target *t, double seconds, uint64_t seed)
{
	unsigned char *input = malloc(MAX_INPUT);
	const double end = seconds_now() + seconds;
	unsigned long rounds = 0;

	state = seed;
	keep_in_file(t->name);
	do {
		const size_t size = make_input(t, input);
		const uint64_t number = size;
		char *text = malloc(size + 1);

		if (!input || !text)
			exit(99);
		memcpy(kept, &number, sizeof(number));
		memcpy(kept + sizeof(number), input, size);
		memcpy(text, input, size);
		text[size] = 0;
		t->run(text, size);
		free(text);
		rounds++;
	} while (rounds % 64 || seconds_now() < end);
	printf("%s: %lu inputs\n", t->name, rounds);
	munmap(kept, sizeof(uint64_t) + MAX_INPUT);
	free(input);
}

/* The reader of descriptors may read past a string, but inside the plugin's
   file. AddressSanitizer would report that, as it puts gaps between strings. */
static int is_possible(const struct target *t)
{
#ifdef __SANITIZE_ADDRESS__
	return strcmp(t->name, "descriptor") != 0;
#else
	(void)t;
	return 1;
#endif
}

static double number_of(const char *text, double otherwise)
{
	return text && *text ? strtod(text, NULL) : otherwise;
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;
	double seconds = number_of(getenv("DPR_TEST_SECONDS"), 0.4);
	const char *seed_text = argc > 3 ? argv[3] : getenv("DPR_TEST_SEED");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : 1;
	int any = 0;

	seconds = number_of(argc > 2 ? argv[2] : NULL, seconds);
	seed = seed ? seed : 1;
	printf("seed %llu\n", (unsigned long long)seed);
	/* Selectors can be read without a driver. */
	setenv("DPR_BACKEND", "^opencl,^cuda,^level_zero", 1);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < N_TARGETS; i++)
		if (!only || !strcmp(only, targets[i].name)) {
			any = 1;
			if (is_possible(&targets[i]))
				run_target(&targets[i], seconds, seed);
			else
				printf("%s: not with AddressSanitizer\n",
				       targets[i].name);
		}
	if (!any)
		fprintf(stderr, "fuzz: no target \"%s\"\n", only);
	return any ? 0 : 2;
}
