/* SPDX-License-Identifier: Apache-2.0 */
/* zip_read.c - reads zip archives, as .npz files are. */
#include "core/array/files/zip_read.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/status.h"

enum { END_SIZE = 22, LOCATOR_SIZE = 20, END64_SIZE = 56 };
enum { ENTRY_SIZE = 46, LOCAL_SIZE = 30, COMMENT_MAX = 65535 };

/* The most bytes that one byte of deflate can become. */
#define RATIO_MAX 1032

#define PIECE ((size_t)64 << 10)

#define CUT "a damaged zip archive: it is cut short"

static uint64_t number(const unsigned char *p, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | p[bytes];
	return value;
}

static dpr_status fail_position(void)
{
	return fail(DPR_ERROR_FILE,
		    "cannot be read at any position, as a zip archive must "
		    "be; copy it into a regular file");
}

/* Read @size bytes at @at. */
static dpr_status read_at(const struct zip_archive *archive, uint64_t at,
			  void *to, size_t size)
{
	dpr_status status;
	size_t got;

	if (at > archive->size || size > archive->size - at)
		return fail(DPR_ERROR_FILE, CUT);
	if (fseeko(archive->file.file, (off_t)at, SEEK_SET))
		return fail_position();
	status = byte_source_read_file(archive->file.file, to, size, &got);
	if (!status && got != size)
		status = fail(DPR_ERROR_FILE, CUT);
	return status;
}

/* --- The directory ---------------------------------------------------------
 */

/* Find the record that ends an archive, among the last @size bytes. */
static const unsigned char *find_end(const unsigned char *tail, size_t size)
{
	for (size_t at = size - END_SIZE + 1; at-- > 0;)
		if (!memcmp(tail + at, "PK\5\6", 4) &&
		    number(tail + at + 20, 2) == size - END_SIZE - at)
			return tail + at;
	return NULL;
}

/* Read where the directory is.  Archives with large numbers have them in a
   record of their own. */
static dpr_status place_directory(const struct zip_archive *archive,
				  const unsigned char *end, uint64_t end_at,
				  uint64_t *offset, uint64_t *size)
{
	unsigned char locator[LOCATOR_SIZE], large[END64_SIZE];
	dpr_status status;

	*size = number(end + 12, 4);
	*offset = number(end + 16, 4);
	if ((*size != UINT32_MAX && *offset != UINT32_MAX &&
	     number(end + 10, 2) != UINT16_MAX) ||
	    end_at < LOCATOR_SIZE)
		return DPR_OK;
	status = read_at(archive, end_at - LOCATOR_SIZE, locator, LOCATOR_SIZE);
	if (status || memcmp(locator, "PK\6\7", 4))
		return status;
	status = read_at(archive, number(locator + 8, 8), large, END64_SIZE);
	if (status)
		return status;
	if (memcmp(large, "PK\6\6", 4))
		return fail(DPR_ERROR_FILE, "a damaged zip archive: no zip64 "
					    "record where one must be");
	*size = number(large + 40, 8);
	*offset = number(large + 48, 8);
	return DPR_OK;
}

static dpr_status read_directory(struct zip_archive *archive,
				 unsigned char *tail, size_t tail_size)
{
	uint64_t offset, size, tail_at = archive->size - tail_size;
	const unsigned char *end;
	dpr_status status = read_at(archive, tail_at, tail, tail_size);

	if (status)
		return status;
	end = find_end(tail, tail_size);
	if (!end)
		return fail(DPR_ERROR_FILE,
			    "not a .npz file: no directory of a "
			    "zip archive is at its end");
	status = place_directory(archive, end, tail_at + (uint64_t)(end - tail),
				 &offset, &size);
	if (status)
		return status;
	if (offset > archive->size || size > archive->size - offset)
		return fail(DPR_ERROR_FILE, "a damaged zip archive: its "
					    "directory is out of the file");
	archive->directory_size = (size_t)size;
	archive->directory = mem_alloc(size ? (size_t)size : 1);
	if (!archive->directory)
		return fail_memory("the directory of an archive");
	return read_at(archive, offset, archive->directory, (size_t)size);
}

/* Read the end of the file, and then the directory. */
static dpr_status read_end(struct zip_archive *archive)
{
	FILE *file = archive->file.file;
	unsigned char *tail;
	size_t tail_size;
	dpr_status status;
	off_t end;

	if (fseeko(file, 0, SEEK_END) || (end = ftello(file)) < 0)
		return fail_position();
	archive->size = (uint64_t)end;
	tail_size = archive->size < END_SIZE + COMMENT_MAX
			    ? (size_t)archive->size
			    : END_SIZE + COMMENT_MAX;
	if (tail_size < END_SIZE)
		return fail(DPR_ERROR_FILE,
			    tail_size ? "not a .npz file: it is too short"
				      : "is empty");
	tail = mem_alloc(tail_size);
	if (!tail)
		return fail_memory("the directory of an archive");
	status = read_directory(archive, tail, tail_size);
	mem_free(tail);
	return status;
}

dpr_status zip_read_open(struct zip_archive *archive, dpr_file from)
{
	dpr_status status;

	memset(archive, 0, sizeof(*archive));
	status = byte_source_open(&archive->file, from);
	if (!status)
		status = read_end(archive);
	if (status)
		zip_read_close(archive);
	return status;
}

void zip_read_close(struct zip_archive *archive)
{
	mem_free(archive->directory);
	archive->directory = NULL;
	byte_source_close(&archive->file);
}

/* Take numbers of more than 32 bits from the extra field of an entry. */
static bool take_large(struct zip_member *member, const unsigned char *extra,
		       size_t size)
{
	uint64_t *const fields[] = { &member->size, &member->packed,
				     &member->offset };
	size_t n, at;

	for (; size >= 4; extra += 4 + n, size -= 4 + n) {
		n = number(extra + 2, 2);
		if (n > size - 4)
			return false;
		if (number(extra, 2) != 1)
			continue;
		at = 4;
		for (size_t k = 0; k < 3; k++) {
			if (*fields[k] != UINT32_MAX)
				continue;
			if (at + 8 > n + 4)
				return false;
			*fields[k] = number(extra + at, 8);
			at += 8;
		}
		return true;
	}
	return true;
}

dpr_status zip_read_next(struct zip_archive *archive, struct zip_member *member,
			 bool *found)
{
	const unsigned char *p = archive->directory + archive->at;
	const size_t left = archive->directory_size - archive->at;
	size_t extra, all;

	*found = left > 0;
	if (!left)
		return DPR_OK;
	if (left < ENTRY_SIZE || memcmp(p, "PK\1\2", 4))
		goto damaged;
	member->name = (const char *)p + ENTRY_SIZE;
	member->name_size = number(p + 28, 2);
	extra = number(p + 30, 2);
	all = ENTRY_SIZE + member->name_size + extra + number(p + 32, 2);
	if (all > left)
		goto damaged;
	member->flags = (unsigned)number(p + 8, 2);
	member->method = (unsigned)number(p + 10, 2);
	member->crc = (uint32_t)number(p + 16, 4);
	member->packed = number(p + 20, 4);
	member->size = number(p + 24, 4);
	member->offset = number(p + 42, 4);
	if (!take_large(member, p + ENTRY_SIZE + member->name_size, extra))
		goto damaged;
	archive->at += all;
	return DPR_OK;
damaged:
	*found = false;
	return fail(DPR_ERROR_FILE,
		    "a damaged zip archive: a bad entry in its directory");
}

/* --- Members ---------------------------------------------------------------
 */

static dpr_status check_member(const struct zip_archive *archive,
			       const struct zip_member *m, uint64_t data_at)
{
	if (m->flags & 1)
		return fail(DPR_ERROR_UNSUPPORTED, "is encrypted");
	if (m->method != 0 && m->method != 8)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "is packed by method %u of zip; only stored and "
			    "deflated arrays can be read",
			    m->method);
	if (data_at > archive->size || m->packed > archive->size - data_at)
		return fail(DPR_ERROR_FILE, "cut short: its bytes are out of "
					    "the archive");
	if (m->method == 0 ? m->size != m->packed
			   : m->size / RATIO_MAX > m->packed ||
				     m->size > INT64_MAX / 2)
		return fail(DPR_ERROR_FILE, "damaged: its two sizes cannot "
					    "both be right");
	return DPR_OK;
}

/* Inflate up to @size bytes. */
static dpr_status inflate_bytes(struct zip_stream *stream, void *to,
				size_t size, size_t *got)
{
	z_stream *z = &stream->z;
	dpr_status status;
	int result = Z_OK;
	size_t n;

	z->next_out = to;
	z->avail_out = (uInt)size;
	while (z->avail_out && result == Z_OK) {
		if (!z->avail_in && stream->packed_left) {
			n = stream->packed_left < PIECE
				    ? (size_t)stream->packed_left
				    : PIECE;
			status = byte_source_read_file(stream->source.file,
						       stream->packed, n, &n);
			if (status)
				return status;
			if (!n)
				break;
			stream->packed_left -= n;
			z->next_in = stream->packed;
			z->avail_in = (uInt)n;
		}
		result = inflate(z, Z_NO_FLUSH);
	}
	*got = size - z->avail_out;
	if (result == Z_MEM_ERROR)
		return fail_memory("inflating");
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		return fail(DPR_ERROR_FILE, "damaged: it cannot be inflated");
	return DPR_OK;
}

/* Large reads go in pieces, since zlib counts in 32 bits. */
#define STEP ((size_t)1 << 30)

static dpr_status next_bytes(struct byte_source *source, void *to, size_t size,
			     size_t *got)
{
	struct zip_stream *stream = (struct zip_stream *)source;
	const uint64_t left = (uint64_t)source->left;
	dpr_status status = DPR_OK;
	size_t want, n = 1;

	*got = 0;
	if (size > left)
		size = (size_t)left;
	while (!status && n && *got < size) {
		want = size - *got < STEP ? size - *got : STEP;
		n = 0;
		status = stream->packed
				 ? inflate_bytes(stream, (char *)to + *got,
						 want, &n)
				 : byte_source_read_file(source->file,
							 (char *)to + *got,
							 want, &n);
		if (n)
			stream->crc = (uint32_t)crc32(
				stream->crc, (Bytef *)to + *got, (uInt)n);
		*got += n;
	}
	if (!status && *got && *got == left && stream->crc != stream->whole_crc)
		status = fail(DPR_ERROR_FILE, "damaged: its checksum is wrong");
	return status;
}

dpr_status zip_read_member(const struct zip_archive *archive,
			   const struct zip_member *member,
			   struct zip_stream *stream)
{
	unsigned char local[LOCAL_SIZE];
	uint64_t data_at;
	dpr_status status;

	memset(stream, 0, sizeof(*stream));
	status = read_at(archive, member->offset, local, LOCAL_SIZE);
	if (status)
		return status;
	if (memcmp(local, "PK\3\4", 4))
		return fail(DPR_ERROR_FILE, "damaged: it does not begin where "
					    "the directory says");
	data_at = member->offset + LOCAL_SIZE + number(local + 26, 2) +
		  number(local + 28, 2);
	status = check_member(archive, member, data_at);
	if (status)
		return status;
	if (fseeko(archive->file.file, (off_t)data_at, SEEK_SET))
		return fail_position();
	stream->source.next = next_bytes;
	stream->source.file = archive->file.file;
	stream->source.is_whole = true;
	stream->source.left = (int64_t)member->size;
	stream->whole_crc = member->crc;
	stream->packed_left = member->packed;
	if (!member->method)
		return DPR_OK;
	stream->packed = mem_alloc(PIECE);
	/* Minus: a raw stream, as zip has it, with the largest window. */
	if (stream->packed && inflateInit2(&stream->z, -MAX_WBITS) == Z_OK)
		return DPR_OK;
	mem_free(stream->packed);
	stream->packed = NULL;
	return fail_memory("inflating");
}

void zip_read_end(struct zip_stream *stream)
{
	if (stream->packed)
		(void)inflateEnd(&stream->z);
	mem_free(stream->packed);
	stream->packed = NULL;
}
