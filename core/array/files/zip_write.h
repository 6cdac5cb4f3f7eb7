/* SPDX-License-Identifier: Apache-2.0 */
/* zip_write.h - writes zip archives, as .npz files are. */
#ifndef ARRAY_ZIP_WRITE_H
#define ARRAY_ZIP_WRITE_H

#include <zlib.h>

#include "core/array/files/byte_sink.h"

/* A member that has been written. */
struct zip_written {
	char *name;
	uint32_t crc;
	uint64_t packed, size, offset;
};

/*
 * An archive that is being written, and the sink for the bytes of a member.
 * Nothing is positioned: sizes and checksum are behind each member, and once
 * more in the directory.
 */
struct zip_writer {
	struct byte_sink sink; /* is first: what is put there is packed */
	struct byte_sink *file;
	uint64_t at; /* bytes written so far */
	struct zip_written *members;
	size_t n;
	z_stream z;
	unsigned char *packed; /* bytes that deflate() gives; NULL: stored */
};

/* Begin an archive in @file.  DPR_ERROR_OUT_OF_MEMORY. */
dpr_status zip_write_open(struct zip_writer *writer, struct byte_sink *file,
			  bool deflates);

/* Begin and end a member.  In between its bytes go to `sink`.
   DPR_ERROR_FILE: a write has failed. */
dpr_status zip_write_begin(struct zip_writer *writer, const char *name);
dpr_status zip_write_end(struct zip_writer *writer);

/* Free the writer.  If @status is DPR_OK, first write the directory.  Returns
   @status, or that of writing. */
dpr_status zip_write_close(struct zip_writer *writer, dpr_status status);

#endif
