/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_files.c - random input for the readers of files of arrays. */
#include <string.h>

#include "core/array/files/npy_read.h"
#ifdef HAVE_ZLIB
#include "core/array/files/zip_read.h"
#include "core/array/files/zip_write.h"
#endif
#include "tests/tools/fuzz.h"

static void check_header(const struct npy_header *h)
{
	char out[NPY_HEADER_MAX];
	struct npy_header again;
	int64_t count = 1;
	size_t size;

	CHECK(h->rank >= 0 && h->rank <= DPR_MAX_RANK);
	for (int d = 0; d < h->rank; d++) {
		CHECK(h->shape[d] >= 0);
		CHECK(!__builtin_mul_overflow(count, h->shape[d], &count) ||
		      !h->count);
	}
	CHECK(h->bytes == (uint64_t)h->count * dpr_dtype_size(h->dtype));
	size = npy_header_format(h->dtype, h->rank, h->shape, out);
	CHECK(size > 10 && size <= sizeof(out) && size % 64 == 0);
	/* Skip the magic, version and length: ten bytes in version 1.0. */
	CHECK(!npy_header_parse(out + 10, size - 10, &again));
	CHECK(again.dtype == h->dtype && again.rank == h->rank &&
	      !again.fortran && again.count == h->count &&
	      !memcmp(again.shape, h->shape,
		      sizeof(again.shape[0]) * (size_t)h->rank));
}

static void check_error(dpr_status status)
{
	CHECK(status == DPR_ERROR_FILE || status == DPR_ERROR_DTYPE);
	CHECK(*dpr_last_error());
}

void fuzz_npy_header(char *text, size_t size)
{
	struct npy_header header;
	dpr_status status = npy_header_parse(text, size, &header);

	if (status)
		check_error(status);
	else
		check_header(&header);
}

/* Read an array to its end. */
static void read_array(struct byte_source *source)
{
	struct npy_reader reader;
	dpr_status status = npy_read_begin(&reader, source);
	char data[64];

	if (status) {
		check_error(status);
		return;
	}
	check_header(&reader.header);
	CHECK(reader.left == reader.header.bytes);
	while (!status && reader.left && reader.left % 64 == 0)
		status = npy_read_elements(&reader, data, 64);
	if (!status && !reader.left)
		status = npy_read_end(&reader);
	if (status)
		check_error(status);
}

void fuzz_npy_file(char *text, size_t size)
{
	struct byte_source source;
	FILE *file = fmemopen(text, size ? size : 1, "r");

	CHECK(file != NULL);
	CHECK(!byte_source_open(&source, dpr_file_stream(file)));
	read_array(&source);
	/* Once more as a file of known size, which must end with the array. */
	rewind(file);
	source.left = (int64_t)size;
	source.is_whole = true;
	read_array(&source);
	fclose(file);
}

size_t fuzz_npy_sound(unsigned char *out)
{
	const int64_t shape[] = { 2, 8 };
	const size_t size =
		npy_header_format(DPR_FLOAT32, 2, shape, (char *)out);

	memset(out + size, 1, 64);
	return size + 64;
}

#ifdef HAVE_ZLIB

/* Read all members of an archive. */
void fuzz_npz_file(char *text, size_t size)
{
	FILE *file = fmemopen(text, size ? size : 1, "r");
	struct zip_archive archive;
	struct zip_member member;
	struct zip_stream stream;
	dpr_status status;
	bool found = true;

	CHECK(file != NULL);
	status = zip_read_open(&archive, dpr_file_stream(file));
	if (status)
		check_error(status);
	while (!status && found) {
		status = zip_read_next(&archive, &member, &found);
		if (status || !found ||
		    zip_read_member(&archive, &member, &stream))
			continue;
		read_array(&stream.source);
		zip_read_end(&stream);
	}
	if (archive.directory)
		zip_read_close(&archive);
	fclose(file);
}

/* Make a valid archive of two arrays, deflated or stored. */
size_t fuzz_npz_sound(unsigned char *out, size_t room, bool deflates)
{
	FILE *file = fmemopen(out, room, "w");
	unsigned char array[NPY_HEADER_MAX + 64];
	const size_t bytes = fuzz_npy_sound(array);
	struct zip_writer writer;
	struct byte_sink sink;
	size_t size;

	CHECK(file != NULL);
	CHECK(!byte_sink_open(&sink, dpr_file_stream(file)));
	CHECK(!zip_write_open(&writer, &sink, deflates));
	for (int k = 0; k < 2; k++) {
		CHECK(!zip_write_begin(&writer, k ? "x.npy" : "yy.npy"));
		CHECK(!byte_sink_write(&writer.sink, array, bytes));
		CHECK(!zip_write_end(&writer));
	}
	CHECK(!zip_write_close(&writer, DPR_OK));
	CHECK(!byte_sink_end(&sink, DPR_OK));
	size = (size_t)ftell(file);
	fclose(file);
	return size;
}

#endif
