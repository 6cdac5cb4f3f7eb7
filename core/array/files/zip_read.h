/* SPDX-License-Identifier: Apache-2.0 */
/* zip_read.h - reads zip archives, as .npz files are.  (PKWARE's APPNOTE.TXT.)
 */
#ifndef ARRAY_ZIP_READ_H
#define ARRAY_ZIP_READ_H

#include <zlib.h>

#include "core/array/files/byte_source.h"

/* A member as the directory of the archive has it. */
struct zip_member {
	const char *name; /* not terminated */
	size_t name_size;
	unsigned flags, method;
	uint32_t crc;
	uint64_t packed, size; /* bytes in the archive, and unpacked */
	uint64_t offset;       /* of the local header */
};

/* An archive that is being read. */
struct zip_archive {
	struct byte_source file;
	uint64_t size;            /* bytes of the file */
	unsigned char *directory; /* as it is in the file */
	size_t directory_size, at;
};

/*
 * Open an archive, which is all of @from, and read its directory.
 * DPR_ERROR_FILE: @from is no zip archive, is damaged, or cannot be read or
 * positioned.
 * Others as byte_source_open().
 */
dpr_status zip_read_open(struct zip_archive *archive, dpr_file from);
void zip_read_close(struct zip_archive *archive);

/* Get the next member.  *@found is false after the last one.
   DPR_ERROR_FILE: the directory is damaged. */
dpr_status zip_read_next(struct zip_archive *archive, struct zip_member *member,
			 bool *found);

/* The bytes of a member, unpacked. */
struct zip_stream {
	struct byte_source source; /* is first */
	uint64_t packed_left;
	uint32_t crc, whole_crc; /* of the bytes so far, and of all */
	z_stream z;
	unsigned char *packed; /* bytes that inflate() gets; NULL: stored */
};

/*
 * Open a member.  Its last bytes are read only if the checksum is right.
 * DPR_ERROR_FILE: the member is damaged.
 * DPR_ERROR_UNSUPPORTED: it is encrypted, or packed by another method than
 * deflate.
 */
dpr_status zip_read_member(const struct zip_archive *archive,
			   const struct zip_member *member,
			   struct zip_stream *stream);
void zip_read_end(struct zip_stream *stream);

#endif
