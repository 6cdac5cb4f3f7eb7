/* SPDX-License-Identifier: Apache-2.0 */
/* npy_read.c - reads the format .npy into host memory. */
#include "core/array/files/npy_read.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/status.h"

/* A longer header is refused: headers of plain arrays are far shorter. */
#define MAX_HEADER (1u << 20)

#define CUT_HEADER "cut short within the header"

static dpr_status check_magic(const unsigned char *prefix, size_t n)
{
	if (n == 0)
		return fail(DPR_ERROR_FILE, "is empty");
	if (n >= 4 &&
	    (!memcmp(prefix, "PK\3\4", 4) || !memcmp(prefix, "PK\5\6", 4)))
		return fail(DPR_ERROR_FILE,
			    "is a zip archive, as .npz files are; load its "
			    "arrays by name with dpr_npz_load()");
	if (memcmp(prefix, "\x93NUMPY", n < 6 ? n : 6))
		return fail(DPR_ERROR_FILE, "not a .npy file (bad magic "
					    "number)");
	if (n < 8)
		return fail(DPR_ERROR_FILE,
			    "cut short: %zu bytes, not even a header", n);
	if (prefix[6] < 1 || prefix[6] > 3 || prefix[7] != 0)
		return fail(DPR_ERROR_FILE,
			    "unknown .npy version %u.%u (1.0, 2.0 and 3.0 can "
			    "be read)",
			    prefix[6], prefix[7]);
	return DPR_OK;
}

/* Read the bytes before the header's text, which have the text's length. */
static dpr_status read_prefix(struct byte_source *source, uint32_t *length)
{
	unsigned char prefix[12];
	dpr_status status;
	size_t n, wide;

	status = byte_source_read(source, prefix, 8, &n);
	if (!status)
		status = check_magic(prefix, n);
	if (status)
		return status;
	wide = prefix[6] == 1 ? 2 : 4;
	status = byte_source_read(source, prefix + 8, wide, &n);
	if (status)
		return status;
	if (n != wide)
		return fail(DPR_ERROR_FILE, CUT_HEADER);
	*length = prefix[8] | (uint32_t)prefix[9] << 8;
	if (wide == 4)
		*length |= (uint32_t)prefix[10] << 16 | (uint32_t)prefix[11]
								<< 24;
	if (*length > MAX_HEADER)
		return fail(DPR_ERROR_FILE,
			    "bad header: it claims to be %u bytes long",
			    *length);
	return DPR_OK;
}

static dpr_status fail_cut(uint64_t expected, uint64_t found)
{
	return fail(DPR_ERROR_FILE,
		    "cut short: %llu bytes of elements expected, %llu found",
		    (unsigned long long)expected, (unsigned long long)found);
}

/* Check that the source has all elements.  If the array must be the whole of
   the source, check that nothing follows the elements. */
static dpr_status check_size(const struct npy_reader *reader)
{
	const struct byte_source *source = reader->source;
	const uint64_t expected = reader->header.bytes;
	const uint64_t found = (uint64_t)source->left;

	if (source->left == BYTE_SOURCE_ENDLESS)
		return DPR_OK;
	if (found < expected)
		return fail_cut(expected, found);
	if (found > expected && source->is_whole)
		return fail(DPR_ERROR_FILE,
			    "%llu bytes follow the array's %llu: the file is "
			    "damaged or holds more than one array",
			    (unsigned long long)(found - expected),
			    (unsigned long long)expected);
	return DPR_OK;
}

dpr_status npy_read_begin(struct npy_reader *reader, struct byte_source *source)
{
	uint32_t length = 0;
	dpr_status status;
	char *text;
	size_t n;

	memset(reader, 0, sizeof(*reader));
	reader->source = source;
	status = read_prefix(source, &length);
	if (status)
		return status;
	text = mem_alloc(length + 1);
	if (!text)
		return fail_memory("header");
	status = byte_source_read(source, text, length, &n);
	if (!status && n != length)
		status = fail(DPR_ERROR_FILE, CUT_HEADER);
	if (!status)
		status = npy_header_parse(text, length, &reader->header);
	mem_free(text);
	if (status)
		return status;
	reader->left = reader->header.bytes;
	return check_size(reader);
}

dpr_status npy_read_elements(struct npy_reader *reader, void *data, size_t size)
{
	const struct npy_header *header = &reader->header;
	dpr_status status;
	size_t n;

	status = byte_source_read(reader->source, data, size, &n);
	if (status)
		return status;
	reader->left -= n;
	if (n < size)
		return fail_cut(header->bytes, header->bytes - reader->left);
	npy_header_convert(data, size, header->dtype, header->swap);
	return DPR_OK;
}

dpr_status npy_read_end(struct npy_reader *reader)
{
	dpr_status status;
	char byte;
	size_t n;

	if (!reader->source->is_whole)
		return DPR_OK;
	status = byte_source_read(reader->source, &byte, 1, &n);
	if (status || !n)
		return status;
	return fail(DPR_ERROR_FILE,
		    "more bytes follow the array's %llu: the file is damaged "
		    "or holds more than one array",
		    (unsigned long long)reader->header.bytes);
}
