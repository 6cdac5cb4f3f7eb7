/* SPDX-License-Identifier: Apache-2.0 */
/* zip_write.c - writes zip archives, as .npz files are. */
#include "core/array/files/zip_write.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/status.h"

/* The version of zip that readers need: 4.5 has zip64. */
enum { VERSION = 45 };
/* Flags: sizes follow the member, and names are in UTF-8. */
enum { FLAGS = 0x0808 };
/* 1980-01-01, the first day of zip: the same arrays give the same bytes. */
enum { DATE = 0x21 };
/* Regular files that everybody may read, for unzip. */
#define ATTRIBUTES ((uint64_t)0100644 << 16)

#define PIECE ((size_t)64 << 10)

static unsigned char *put(unsigned char *p, uint64_t value, int bytes)
{
	for (; bytes; bytes--, value >>= 8)
		*p++ = (unsigned char)value;
	return p;
}

static dpr_status emit(struct zip_writer *writer, const void *data, size_t size)
{
	writer->at += size;
	return byte_sink_write(writer->file, data, size);
}

static struct zip_written *current(struct zip_writer *writer)
{
	return &writer->members[writer->n - 1];
}

/* Deflate what `z` has as input.  @flush is of zlib. */
static dpr_status deflate_bytes(struct zip_writer *writer, int flush)
{
	z_stream *z = &writer->z;
	dpr_status status;
	size_t n;

	do {
		z->next_out = writer->packed;
		z->avail_out = PIECE;
		(void)deflate(z, flush);
		n = PIECE - z->avail_out;
		current(writer)->packed += n;
		status = n ? emit(writer, writer->packed, n) : DPR_OK;
	} while (!status && !z->avail_out);
	return status;
}

/* zlib counts in 32 bits. */
#define STEP ((size_t)1 << 30)

static dpr_status put_member(struct byte_sink *sink, const void *data,
			     size_t size)
{
	struct zip_writer *writer = (struct zip_writer *)sink;
	struct zip_written *member = current(writer);
	const unsigned char *from = data;
	dpr_status status = DPR_OK;
	size_t n;

	for (; !status && size; from += n, size -= n) {
		n = size < STEP ? size : STEP;
		member->crc = (uint32_t)crc32(member->crc, from, (uInt)n);
		member->size += n;
		if (!writer->packed) {
			member->packed += n;
			status = emit(writer, from, n);
			continue;
		}
		writer->z.next_in = (Bytef *)(uintptr_t)from;
		writer->z.avail_in = (uInt)n;
		status = deflate_bytes(writer, Z_NO_FLUSH);
	}
	return status;
}

dpr_status zip_write_open(struct zip_writer *writer, struct byte_sink *file,
			  bool deflates)
{
	memset(writer, 0, sizeof(*writer));
	writer->sink.put = put_member;
	writer->sink.fd = -1;
	writer->file = file;
	if (!deflates)
		return DPR_OK;
	writer->packed = mem_alloc(PIECE);
	/* Minus: a raw stream, as zip has it. */
	if (writer->packed &&
	    deflateInit2(&writer->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
			 -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK)
		return DPR_OK;
	mem_free(writer->packed);
	writer->packed = NULL;
	return fail_memory("deflating");
}

dpr_status zip_write_begin(struct zip_writer *writer, const char *name)
{
	unsigned char local[30 + 20], *p = local;
	struct zip_written *member = mem_append(&writer->members, &writer->n);
	const size_t length = strlen(name);
	dpr_status status;

	if (!member)
		return fail_memory("an archive");
	member->name = mem_string(name);
	if (!member->name)
		return fail_memory("an archive");
	member->offset = writer->at;
	member->crc = (uint32_t)crc32(0, NULL, 0);
	if (writer->packed)
		(void)deflateReset(&writer->z);
	p = put(p, 0x04034b50, 4);
	p = put(p, VERSION, 2);
	p = put(p, FLAGS, 2);
	p = put(p, writer->packed ? 8 : 0, 2);
	p = put(p, (uint64_t)DATE << 16, 4);
	p = put(p, 0, 4);
	p = put(p, UINT64_MAX, 8); /* both sizes are in the extra field */
	p = put(p, length, 2);
	p = put(p, 20, 2);
	status = emit(writer, local, 30);
	if (!status)
		status = emit(writer, name, length);
	p = put(local, 1, 2);
	p = put(p, 16, 2);
	(void)put(put(p, 0, 8), 0, 8);
	return status ? status : emit(writer, local, 20);
}

dpr_status zip_write_end(struct zip_writer *writer)
{
	const struct zip_written *member = current(writer);
	dpr_status status = DPR_OK;
	unsigned char sizes[24], *p;

	if (writer->packed) {
		writer->z.avail_in = 0;
		status = deflate_bytes(writer, Z_FINISH);
	}
	if (status)
		return status;
	p = put(sizes, 0x08074b50, 4);
	p = put(p, member->crc, 4);
	p = put(p, member->packed, 8);
	(void)put(p, member->size, 8);
	return emit(writer, sizes, sizeof(sizes));
}

/* --- The directory ---------------------------------------------------------
 */

/* Put a number of 32 bits, or where it is larger UINT32_MAX, and the number to
   the extra field at *@extra. */
static unsigned char *put_or_extra(unsigned char *p, uint64_t value,
				   unsigned char **extra)
{
	if (value < UINT32_MAX)
		return put(p, value, 4);
	*extra = put(*extra, value, 8);
	return put(p, UINT32_MAX, 4);
}

static dpr_status write_entry(struct zip_writer *writer,
			      const struct zip_written *member)
{
	unsigned char entry[46], extra[28], *p = entry, *q = extra + 4;
	unsigned char sizes[8], offset[4];
	size_t n;
	dpr_status status;

	/* The order in the extra field: size, packed size, offset. */
	(void)put_or_extra(sizes + 4, member->size, &q);
	(void)put_or_extra(sizes, member->packed, &q);
	(void)put_or_extra(offset, member->offset, &q);
	n = (size_t)(q - extra) > 4 ? (size_t)(q - extra) : 0;
	(void)put(put(extra, 1, 2), n ? n - 4 : 0, 2);
	p = put(p, 0x02014b50, 4);
	p = put(p, VERSION | 3 << 8, 2); /* attributes are those of Unix */
	p = put(p, VERSION, 2);
	p = put(p, FLAGS, 2);
	p = put(p, writer->packed ? 8 : 0, 2);
	p = put(p, (uint64_t)DATE << 16, 4);
	p = put(p, member->crc, 4);
	memcpy(p, sizes, 8);
	p = put(p + 8, strlen(member->name), 2);
	p = put(p, n, 2);
	p = put(p, 0, 6); /* no comment, first disk, binary */
	p = put(p, ATTRIBUTES, 4);
	memcpy(p, offset, 4);
	status = emit(writer, entry, sizeof(entry));
	if (!status)
		status = emit(writer, member->name, strlen(member->name));
	return status || !n ? status : emit(writer, extra, n);
}

/* Write the record with large numbers of the directory at @offset, and where it
   is itself. */
static dpr_status write_end64(struct zip_writer *writer, uint64_t offset,
			      uint64_t size)
{
	unsigned char end[56 + 20], *p = end;
	const uint64_t at = writer->at;

	p = put(p, 0x06064b50, 4);
	p = put(p, 44, 8); /* the bytes that follow */
	p = put(p, VERSION | VERSION << 16, 4);
	p = put(p, 0, 8);
	p = put(p, writer->n, 8);
	p = put(p, writer->n, 8);
	p = put(p, size, 8);
	p = put(p, offset, 8);
	p = put(p, 0x07064b50, 4);
	p = put(p, 0, 4);
	p = put(p, at, 8);
	(void)put(p, 1, 4);
	return emit(writer, end, sizeof(end));
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
	return value < most ? value : most;
}

static dpr_status write_directory(struct zip_writer *writer)
{
	const uint64_t offset = writer->at, n = writer->n;
	unsigned char end[22], *p = end;
	dpr_status status = DPR_OK;
	uint64_t size;

	for (size_t k = 0; !status && k < n; k++)
		status = write_entry(writer, &writer->members[k]);
	size = writer->at - offset;
	if (!status &&
	    (offset >= UINT32_MAX || size >= UINT32_MAX || n >= UINT16_MAX))
		status = write_end64(writer, offset, size);
	if (status)
		return status;
	p = put(p, 0x06054b50, 4);
	p = put(p, 0, 4);
	p = put(p, at_most(n, UINT16_MAX), 2);
	p = put(p, at_most(n, UINT16_MAX), 2);
	p = put(p, at_most(size, UINT32_MAX), 4);
	p = put(p, at_most(offset, UINT32_MAX), 4);
	(void)put(p, 0, 2);
	return emit(writer, end, sizeof(end));
}

dpr_status zip_write_close(struct zip_writer *writer, dpr_status status)
{
	if (!status)
		status = write_directory(writer);
	for (size_t k = 0; k < writer->n; k++)
		mem_free(writer->members[k].name);
	mem_free(writer->members);
	if (writer->packed)
		(void)deflateEnd(&writer->z);
	mem_free(writer->packed);
	return status;
}
