/* SPDX-License-Identifier: Apache-2.0 */
/*
 * .npy files: those that NumPy wrote (fixtures/npy.bin), damaged files and the
 * errors for them, mutated headers, and writing.
 */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/array/files/byte_sink.h"
#include "core/array/files/npy_read.h"

static char folder[] = "/tmp/dpr-npy.XXXXXX";

static void setup(void)
{
	ck_assert(mkdtemp(folder) != NULL);
}

static void teardown(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
	strcpy(folder, "/tmp/dpr-npy.XXXXXX");
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	ck_assert(file && fwrite(data, 1, size, file) == size);
	ck_assert_int_eq(fclose(file), 0);
}

/* A reader of a file. */
struct opened {
	struct byte_source source;
	struct npy_reader reader;
};

static dpr_status open_file(struct opened *file, const char *path)
{
	dpr_status status;

	status = byte_source_open(&file->source, dpr_file_path(path));
	if (status)
		return status;
	status = npy_read_begin(&file->reader, &file->source);
	if (status)
		byte_source_close(&file->source);
	return status;
}

/* --- Files that NumPy wrote ---------------------------------------------- */

/* Check that element @k has the same value as in make_tool_fixtures.py. */
static void check_element(dpr_dtype dtype, const void *data, size_t at, int k)
{
	double expected = k * 0.5 - 1;

	switch (dtype) {
#define CASE(NAME, type, value)                                       \
	case DPR_##NAME:                                              \
		ck_assert_int_eq((long long)((const type *)data)[at], \
				 (long long)(value));                 \
		break
		CASE(BOOL, uint8_t, k % 2);
		CASE(INT8, int8_t, k * 3 - 4);
		CASE(INT16, int16_t, k * 3 - 4);
		CASE(INT32, int32_t, k * 3 - 4);
		CASE(INT64, int64_t, k * 3 - 4);
		CASE(UINT8, uint8_t, k * 3);
		CASE(UINT16, uint16_t, k * 3);
		CASE(UINT32, uint32_t, k * 3);
		CASE(UINT64, uint64_t, k * 3);
#undef CASE
	case DPR_FLOAT16: {
		static const uint16_t halves[] = { 0xbc00, 0xb800, 0x0000,
						   0x3800, 0x3c00, 0x3e00 };

		ck_assert_uint_eq(((const uint16_t *)data)[at], halves[k]);
		break;
	}
	case DPR_FLOAT32:
		ck_assert(((const float *)data)[at] == (float)expected);
		break;
	case DPR_FLOAT64:
		ck_assert(((const double *)data)[at] == expected);
		break;
	case DPR_COMPLEX64:
		ck_assert(((const float *)data)[2 * at] == (float)expected);
		ck_assert(((const float *)data)[2 * at + 1] == (float)-k);
		break;
	case DPR_COMPLEX128:
		ck_assert(((const double *)data)[2 * at] == expected);
		ck_assert(((const double *)data)[2 * at + 1] == -k);
		break;
	default: ck_abort_msg("dtype %d", dtype);
	}
}

/* Check a sample against its name, such as "<f4 F 1". */
static void check_sample(const char *name, const struct npy_header *header,
			 const char *data)
{
	bool fortran = strchr(name, 'F') != NULL;
	int k;

	ck_assert_int_eq(header->rank, 2);
	ck_assert_int_eq(header->shape[0], 2);
	ck_assert_int_eq(header->shape[1], 3);
	ck_assert_int_eq(header->count, 6);
	ck_assert_int_eq(header->fortran, fortran);
	for (k = 0; k < 6; k++)
		check_element(header->dtype, data,
			      (size_t)(fortran ? k % 3 * 2 + k / 3 : k), k);
}

static void check_other(const char *name, const struct npy_header *header,
			const char *data)
{
	if (!strcmp(name, "scalar")) {
		ck_assert_int_eq(header->rank, 0);
		ck_assert(*(const float *)(const void *)data == 1.5f);
	} else if (!strcmp(name, "row")) {
		ck_assert_int_eq(header->rank, 1);
		ck_assert_int_eq(((const int16_t *)(const void *)data)[6], 6);
	} else if (!strcmp(name, "empty")) {
		ck_assert_int_eq(header->count, 0);
		ck_assert_int_eq(header->shape[1], 3);
	} else {
		ck_assert_str_eq(name, "deep");
		ck_assert_int_eq(header->rank, 32);
	}
}

/* Read the fixture.  *@samples is set to the first sample, after the line of
   text. */
static char *fixture(char **samples, char **end)
{
	const char *top = getenv("top_srcdir");
	char path[1024], *text;
	struct stat st;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/fixtures/npy.bin",
		 top ? top : ".");
	file = fopen(path, "rb");
	ck_assert_msg(file && !fstat(fileno(file), &st), "cannot open %s",
		      path);
	text = malloc((size_t)st.st_size + 1);
	ck_assert(text && fread(text, 1, (size_t)st.st_size, file) ==
				  (size_t)st.st_size);
	fclose(file);
	*samples = strchr(text, '\n') + 1;
	*end = text + st.st_size;
	return text;
}

START_TEST(reads_what_numpy_wrote)
{
	char *at, *end, *text = fixture(&at, &end), name[64];
	struct opened file;
	double data[64];
	uint32_t sizes[2];
	int count = 0;

	for (; at < end; at += sizes[0] + sizes[1], count++) {
		memcpy(sizes, at, 8);
		at += 8;
		snprintf(name, sizeof(name), "%.*s", (int)sizes[0], at);
		put(path_of("x.npy"), at + sizes[0], sizes[1]);
		ck_assert_msg(!open_file(&file, path_of("x.npy")), "%s: %s",
			      name, dpr_last_error());
		ck_assert_uint_le(file.reader.header.bytes, sizeof(data));
		ck_assert(!npy_read_elements(&file.reader, data,
					     file.reader.header.bytes));
		ck_assert_uint_eq(file.reader.left, 0);
		ck_assert(!npy_read_end(&file.reader));
		byte_source_close(&file.source);
		if (strchr(name, ' '))
			check_sample(name, &file.reader.header, (char *)data);
		else
			check_other(name, &file.reader.header, (char *)data);
	}
	ck_assert_int_eq(count, 14 * 4 + 14 * 2 + 4);
	free(text);
}
END_TEST

/* Our headers must be the same, byte for byte, as NumPy's. */
START_TEST(writes_what_numpy_writes)
{
	char *at, *end, *text = fixture(&at, &end), header[NPY_HEADER_MAX];
	static const int64_t shape[] = { 2, 3 };
	struct npy_header parsed;
	int64_t many[15];
	uint32_t sizes[2];
	int count = 0;
	size_t size;

	for (; at < end; at += sizes[0] + sizes[1]) {
		memcpy(sizes, at, 8);
		at += 8;
		if (*at != '<' || memcmp(at + sizes[0] - 3, "C 1", 3))
			continue;
		/* NumPy writes headers of 128 bytes for such small arrays. */
		ck_assert(!npy_header_parse(at + sizes[0] + 10, 118, &parsed));
		size = npy_header_format(parsed.dtype, 2, shape, header);
		ck_assert_uint_eq(size, 128);
		ck_assert(!memcmp(at + sizes[0], header, size));
		count++;
	}
	ck_assert_int_eq(count, 14);
	ck_assert_uint_eq(npy_header_format(DPR_BFLOAT16, 2, shape, header), 0);
	/* NumPy leaves room for a longer first extent: so here it is 192. */
	for (count = 0; count < 15; count++)
		many[count] = 2;
	ck_assert_uint_eq(npy_header_format(DPR_FLOAT64, 15, many, header),
			  192);
	free(text);
}
END_TEST

/* --- Damaged files ------------------------------------------------------- */

/* Make a file of version 1.0 with @header and @bytes of elements. */
static size_t make_file(char out[1024], const char *header, size_t bytes)
{
	size_t length = strlen(header);

	ck_assert_uint_lt(length + bytes, 1000);
	memcpy(out, "\x93NUMPY\x01\x00", 8);
	out[8] = (char)(length & 0xff);
	out[9] = (char)(length >> 8);
	memcpy(out + 10, header, length);
	memset(out + 10 + length, 0, bytes);
	return 10 + length + bytes;
}

static const struct {
	const char *header;
	size_t bytes;
	const char *part; /* of the error; NULL: the file is valid */
} files[] = {
#define F4 "'descr': '<f4', "
#define C "'fortran_order': False, "
	{ "{" F4 C "'shape': (3,)}", 12, NULL },
	{ "{" F4 C "'shape': (3L,), }  \n", 12, NULL },
	{ "{'shape':(3,)," C F4 "}", 12, NULL },
	{ "{\"shape\": ( 3 , ), \"descr\": \"<f4\", " C "}", 12, NULL },
	{ "{" F4 C "'shape': ()}", 4, NULL },
	{ "{" F4 C "'shape': (0, 99999999999999)}", 0, NULL },
	{ "{'descr': '?', " C "'shape': (2,)}", 2, NULL },
	{ "{'descr': 'f4', " C "'shape': (2,)}", 8, NULL },
	{ "{'descr': '=f4', " C "'shape': (2,)}", 8, NULL },
	{ "{'descr': '<f', " C "'shape': (2,)}", 8, NULL },
	{ "{'descr': '|?', " C "'shape': (2,)}", 2, NULL },
	{ "{" F4 C "'shape': (3,)}", 11, "12 bytes of elements expected, 11" },
	{ "{" F4 C "'shape': (3,)}", 0, "cut short" },
	{ "{" F4 C "'shape': (3,)}", 13, "1 bytes follow" },
	{ "{" F4 C "'shape': (-3,)}", 12, "negative extent" },
	{ "{" F4 C "'shape': (3, -1)}", 12, "negative extent" },
	{ "{" F4 C "'shape': (9223372036854775807,)}", 0, "absurd" },
	{ "{" F4 C "'shape': (9223372036854775808,)}", 0, "absurd" },
	{ "{" F4 C "'shape': (4294967296, 4294967296)}", 0, "absurd" },
	{ "{" F4 C "'shape': (99999999999999999999999,)}", 0, "absurd" },
	{ "{" F4 C "'shape': (1000000000000,)}", 12, "cut short" },
	{ "{" F4 C "'shape': 3}", 12, "not a tuple" },
	{ "{" F4 C "'shape': (3)}", 12, "not a tuple" },
	{ "{" F4 C "'shape': [3]}", 12, "not a tuple" },
	{ "{" F4 C "'shape': (3 3)}", 12, "not a tuple of" },
	{ "{" F4 C "'shape': (3.0,)}", 12, "bad header" },
	{ "{" F4 C "'shape': ('3',)}", 12, "not an integer" },
	{ "{" F4 C "'shape': (,)}", 12, "not an integer" },
	{ "{" F4 C "'shape': (3,", 12, "bad header" },
	{ "{" F4 C "'shape': (3,)", 12, "no end" },
	{ "{" F4 C "'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
	  "1,1,1,1,1,1,1,1,1)}",
	  4, "more than 32 axes" },
	{ "{" F4 C "}", 12, "no 'shape'" },
	{ "{" F4 "'shape': (3,)}", 12, "no 'fortran_order'" },
	{ "{" C "'shape': (3,)}", 12, "no 'descr'" },
	{ "{" F4 F4 C "'shape': (3,)}", 12, "twice" },
	{ "{" F4 C "'shape': (3,), 'more': 1}", 12, "unknown key 'more'" },
	{ "{" F4 "'fortran_order': 0, 'shape': (3,)}", 12, "neither True" },
	{ "{" F4 "'fortran_order': None, 'shape': (3,)}", 12, "neither True" },
	{ "{'descr': 4, " C "'shape': (3,)}", 12, "not a string" },
	{ "{'descr': '|O', " C "'shape': (3,)}", 24, "Python objects" },
	{ "{'descr': '<U3', " C "'shape': (3,)}", 36, "text" },
	{ "{'descr': '|S3', " C "'shape': (3,)}", 9, "text" },
	{ "{'descr': '<M8[ns]', " C "'shape': (3,)}", 24, "dates" },
	{ "{'descr': '|V2', " C "'shape': (3,)}", 6, "raw bytes" },
	{ "{'descr': '<f16', " C "'shape': (3,)}", 48, "extended" },
	{ "{'descr': '<i3', " C "'shape': (3,)}", 9, "'i3' is not" },
	{ "{'descr': 'f5', " C "'shape': (3,)}", 15, "'f5' is not" },
	{ "{'descr': 'float33', " C "'shape': (3,)}", 9, "'float33' is not" },
	{ "{'descr': 'float128', " C "'shape': (3,)}", 48, "extended" },
	{ "{'descr': 'c', " C "'shape': (3,)}", 3, "text" },
	{ "{'descr': 'object', " C "'shape': (3,)}", 24, "Python objects" },
	{ "{'descr': 'str', " C "'shape': (3,)}", 9, "text" },
	{ "{'descr': 'Short', " C "'shape': (3,)}", 6, "'Short' is not" },
	{ "{'descr': 'datetime64[s]', " C "'shape': (3,)}", 24, "dates" },
	{ "{'descr': '<float32', " C "'shape': (3,)}", 12, "'float32' is not" },
	{ "{'descr': '', " C "'shape': (3,)}", 9, "is not" },
	{ "{'descr': [('a', '<f4')], " C "'shape': (3,)}", 12, "fields" },
	{ "{'descr': ('<f4', (2,)), " C "'shape': (3,)}", 24, "sub-array" },
	{ "{" F4 C "'shape': (3,)} x", 12, "after the dictionary" },
	{ "{1: 2}", 12, "a key is not a string" },
	{ "{'descr' '<f4'}", 12, "no ':'" },
	{ "{" F4 "'fortran_order': False 'shape': (3,)}", 12, "no ','" },
	{ "", 12, "not a dictionary" },
	{ "[]", 12, "not a dictionary" },
	{ "{", 12, "no end" },
	{ "{'descr", 12, "bad header" },
};

START_TEST(headers_are_checked)
{
	struct opened file;
	char data[1024];
	size_t size = make_file(data, files[_i].header, files[_i].bytes);
	dpr_status status;

	put(path_of("x.npy"), data, size);
	status = open_file(&file, path_of("x.npy"));
	if (!files[_i].part) {
		ck_assert_msg(!status, "%s: %s", files[_i].header,
			      dpr_last_error());
		byte_source_close(&file.source);
		return;
	}
	ck_assert_msg(status == DPR_ERROR_FILE || status == DPR_ERROR_DTYPE,
		      "%s: %s", files[_i].header, dpr_status_name(status));
	ck_assert_msg(strstr(dpr_last_error(), files[_i].part) != NULL,
		      "%s: %s", files[_i].header, dpr_last_error());
}
END_TEST

/* Names of dtypes that NumPy reads, too. */
static const struct {
	const char *name;
	dpr_dtype dtype;
} names[] = {
	{ "float32", DPR_FLOAT32 },
	{ "int32", DPR_INT32 },
	{ "bool", DPR_BOOL },
	{ "f", DPR_FLOAT32 },
	{ "int8", DPR_INT8 },
	{ "uint64", DPR_UINT64 },
	{ "float16", DPR_FLOAT16 },
	{ "complex64", DPR_COMPLEX64 },
	{ "complex", DPR_COMPLEX128 },
	{ "float", DPR_FLOAT64 },
	{ "int", DPR_INT64 },
	{ "uint", DPR_UINT64 },
	{ "half", DPR_FLOAT16 },
	{ "single", DPR_FLOAT32 },
	{ "double", DPR_FLOAT64 },
	{ "longlong", DPR_INT64 },
	{ "ubyte", DPR_UINT8 },
	{ "bfloat16", DPR_BFLOAT16 },
	{ "B", DPR_UINT8 },
	{ "b", DPR_INT8 },
	{ ">b", DPR_INT8 },
	{ "=D", DPR_COMPLEX128 },
	{ "?", DPR_BOOL },
	{ "e", DPR_FLOAT16 },
};

START_TEST(names_are_read)
{
	struct npy_header header;
	char text[100];

	snprintf(text, sizeof(text), "{'descr': '%s', " C "'shape': (2,)}",
		 names[_i].name);
	ck_assert_msg(!npy_header_parse(text, strlen(text), &header), "%s: %s",
		      names[_i].name, dpr_last_error());
	ck_assert_int_eq(header.dtype, names[_i].dtype);
	ck_assert_int_eq(header.swap, *names[_i].name == '>');
	ck_assert_uint_eq(header.bytes, 2 * dpr_dtype_size(header.dtype));
}
END_TEST

static void check_refused(const char *path, const char *part)
{
	struct opened file;

	ck_assert(open_file(&file, path));
	ck_assert_msg(strstr(dpr_last_error(), part) != NULL, "%s: %s", part,
		      dpr_last_error());
}

START_TEST(beginnings_are_checked)
{
	const char *path = path_of("x.npy");
	char data[1024];
	size_t size = make_file(data, "{" F4 C "'shape': (3,)}", 12), i;

	check_refused(path, "cannot open");
	check_refused(folder, "is a directory");
	put(path, "", 0);
	check_refused(path, "is empty");
	put(path, "PK\x03\x04", 4);
	check_refused(path, "load its arrays by name");
	put(path, "PK\x05\x06", 4);
	check_refused(path, "is a zip archive");
	put(path, "PK\x01", 3);
	check_refused(path, "bad magic");
	put(path, "\x93NUMPX\x01\x00", 8);
	check_refused(path, "bad magic");
	put(path, "\x93NUMPY\x04\x00v\x00", 10);
	check_refused(path, "version 4.0");
	put(path, "\x93NUMPY\x01\x01v\x00", 10);
	check_refused(path, "version 1.1");
	put(path, "\x93NUMPY\x02\x00\xff\xff\xff\xff", 12);
	check_refused(path, "bad header");
	/* A NUL byte is not a byte order. */
	memcpy(strstr(data + 10, "<f4"), "\0", 1);
	put(path, data, size);
	check_refused(path, "its dtype");
	size = make_file(data, "{" F4 C "'shape': (3,)}", 12);
	/* At whatever byte the file is cut, the error says so. */
	for (i = 1; i < size; i++) {
		put(path, data, i);
		check_refused(path, "cut short");
	}
}
END_TEST

/* Reading any header ends, and reads only inside the text. */
START_TEST(mutated_headers_are_survived)
{
	static const char seed[] = "{'descr': '<f4', 'fortran_order': False, "
				   "'shape': (3, 4), }  \n";
	static const char letters[] =
		"{}()[]'\":,-0123456789L<>=|fOFTxe \0\n\xff";
	struct npy_header header;
	unsigned state = 7, accepted = 0, i, n;
	char *text;

	for (i = 0; i < 60000; i++) {
		/* Allocate exactly its length, so that AddressSanitizer sees
		   reads beyond. */
		size_t length = sizeof(seed) - 1 - i % 7 * (i % 3);

		text = malloc(length);
		ck_assert(text != NULL);
		memcpy(text, seed, length);
		for (n = 0; n <= i % 4; n++) {
			state = state * 1664525 + 1013904223;
			text[(state >> 8) % length] =
				letters[(state >> 18) % (sizeof(letters) - 1)];
		}
		if (!npy_header_parse(text, length, &header)) {
			accepted++;
			ck_assert_int_ge(header.count, 0);
			ck_assert_int_le(header.rank, DPR_MAX_RANK);
		}
		free(text);
	}
	ck_assert_uint_gt(accepted, 0);
}
END_TEST

/* --- Writing ------------------------------------------------------------- */

static int files_in_folder(void)
{
	char command[64];
	FILE *pipe;
	int count = -1;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", folder);
	pipe = popen(command, "r");
	ck_assert(pipe && fscanf(pipe, "%d", &count) == 1);
	pclose(pipe);
	return count;
}

/* Write a file.  @status is what byte_sink_end() gets. */
static dpr_status write_file(const char *path, dpr_status status)
{
	struct byte_sink sink;

	if (byte_sink_open(&sink, dpr_file_path(path)))
		return DPR_ERROR_FILE;
	return byte_sink_end(&sink,
			     status ? status : byte_sink_write(&sink, "ab", 2));
}

static void check_text(const char *path, const char *want)
{
	FILE *file = fopen(path, "rb");
	char have[16] = "";

	ck_assert(file && fread(have, 1, sizeof(have) - 1, file));
	ck_assert_str_eq(have, want);
	fclose(file);
}

START_TEST(files_appear_whole_or_not_at_all)
{
	char path[300], link[300], target[300];
	struct byte_sink sink;
	struct stat st;

	strcpy(path, path_of("out.npy"));
	strcpy(link, path_of("link.npy"));
	ck_assert(!byte_sink_open(&sink, dpr_file_path(path)));
	ck_assert(!byte_sink_write(&sink, "ab", 2));
	ck_assert(access(path, F_OK));
	ck_assert_int_eq(byte_sink_end(&sink, DPR_ERROR_BUSY), DPR_ERROR_BUSY);
	ck_assert_int_eq(files_in_folder(), 0);
	ck_assert(!write_file(path, DPR_OK));
	ck_assert_int_eq(files_in_folder(), 1);
	check_text(path, "ab");

	/* An older file is as it was, or is replaced and keeps its
	   permissions. */
	put(path, "old", 3);
	ck_assert(!chmod(path, 0640));
	ck_assert(write_file(path, DPR_ERROR_BUSY));
	check_text(path, "old");
	ck_assert(!write_file(path, DPR_OK));
	check_text(path, "ab");
	ck_assert(!stat(path, &st) && (st.st_mode & 0777) == 0640);
	ck_assert_int_eq(files_in_folder(), 1);

	/* A symbolic link stays a link. */
	ck_assert_int_eq(symlink("out.npy", link), 0);
	ck_assert(!write_file(link, DPR_OK));
	ck_assert_int_ge(readlink(link, target, sizeof(target)), 0);
	ck_assert_int_eq(files_in_folder(), 2);
	/* A link to a file that does not exist yet is written through as
	   well. */
	ck_assert_int_eq(unlink(path), 0);
	ck_assert(!write_file(link, DPR_OK));
	ck_assert_int_ge(readlink(link, target, sizeof(target)), 0);
	check_text(path, "ab");
	ck_assert_int_eq(files_in_folder(), 2);

	/* A device stays a device. */
	ck_assert(!write_file("/dev/null", DPR_OK));
	ck_assert_int_eq(access("/dev/null", W_OK), 0);

	ck_assert(write_file(folder, DPR_OK));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "is a directory"));
	ck_assert(write_file(path_of("no/out.npy"), DPR_OK));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "cannot write there"));
	ck_assert_int_eq(files_in_folder(), 2);
}
END_TEST

/* If a signal ends a long write, no half-written file is left. */
START_TEST(signals_leave_no_file)
{
	struct byte_sink sink;
	int status;
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (!child) {
		/* Remove the handler of the test runner. */
		signal(SIGTERM, SIG_DFL);
		if (byte_sink_open(&sink, dpr_file_path(path_of("out.npy"))) ||
		    byte_sink_write(&sink, "ab", 2))
			_exit(1);
		if (sink.has_name)
			_exit(77);
		raise(SIGTERM);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		printf("no files without a name in /tmp\n");
		return;
	}
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	ck_assert_int_eq(files_in_folder(), 0);
}
END_TEST

START_TEST(full_disk_is_said)
{
	if (access("/dev/full", W_OK))
		return;
	ck_assert(write_file("/dev/full", DPR_OK));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "cannot write"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("npy");
	TCase *tcase = tcase_create("npy");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, reads_what_numpy_wrote);
	tcase_add_test(tcase, writes_what_numpy_writes);
	tcase_add_loop_test(tcase, names_are_read, 0,
			    sizeof(names) / sizeof(names[0]));
	tcase_add_loop_test(tcase, headers_are_checked, 0,
			    sizeof(files) / sizeof(files[0]));
	tcase_add_test(tcase, beginnings_are_checked);
	tcase_add_test(tcase, mutated_headers_are_survived);
	tcase_add_test(tcase, files_appear_whole_or_not_at_all);
	tcase_add_test(tcase, signals_leave_no_file);
	tcase_add_test(tcase, full_disk_is_said);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
