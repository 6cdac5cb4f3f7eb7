/* SPDX-License-Identifier: Apache-2.0 */
/* byte_sink.h - writes a file that appears when it is complete. */
#ifndef ARRAY_BYTE_SINK_H
#define ARRAY_BYTE_SINK_H

#include <stdbool.h>

#include <dpr/file.h>

/*
 * A file that is being written.  A regular file has no name until
 * byte_sink_end() gives it one.  So no half-written file is ever visible,
 * however the process ends.  Where the file system has no files
 * without a name, the file has another name until then.  A stream, and a file
 * that is not regular, is written in place.
 * Other kinds of sinks begin with this struct and have a function `put` of
 * their own.
 */
struct byte_sink {
	dpr_status (*put)(struct byte_sink *sink, const void *data,
			  size_t size);
	FILE *stream;    /* the program's, or NULL */
	int fd;          /* without a stream */
	char *target;    /* the name with symbolic links resolved, or NULL:
			    the file is written in place */
	char *temporary; /* a name beside the target */
	bool has_name;   /* the file is called `temporary` */
};

/* Open a file for writing.  DPR_ERROR_FILE: this failed.
   DPR_ERROR_INVALID_ARGUMENT: @to has neither a name nor a stream. */
dpr_status byte_sink_open(struct byte_sink *sink, dpr_file to);

/* Write bytes behind the earlier ones.  DPR_ERROR_FILE: this failed. */
dpr_status byte_sink_write(struct byte_sink *sink, const void *data,
			   size_t size);

/* End the file.  If @status is a failure, remove what was written, except from
   a stream, and return @status.  Otherwise give the file its name;
   DPR_ERROR_FILE: this failed. */
dpr_status byte_sink_end(struct byte_sink *sink, dpr_status status);

#endif
