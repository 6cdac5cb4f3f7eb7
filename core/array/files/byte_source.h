/* SPDX-License-Identifier: Apache-2.0 */
/* byte_source.h - the bytes of a file, one after the other. */
#ifndef ARRAY_BYTE_SOURCE_H
#define ARRAY_BYTE_SOURCE_H

#include <stdbool.h>

#include <dpr/file.h>

/* The bytes that follow are not counted: they come from a pipe, for
   instance. */
#define BYTE_SOURCE_ENDLESS INT64_MAX

/* Where bytes come from.  Other kinds of sources begin with this struct and
   have a function `next` of their own. */
struct byte_source {
	/* Read up to @size bytes, and fewer only at the end.  *@got is how
	   many. */
	dpr_status (*next)(struct byte_source *source, void *to, size_t size,
			   size_t *got);
	FILE *file;
	bool opened;   /* byte_source_close() closes the file */
	bool is_whole; /* the array must be all that the source has */
	int64_t left;  /* the bytes that follow, or BYTE_SOURCE_ENDLESS */
};

/*
 * Open a file by name, or take the program's stream from its position on.
 * DPR_ERROR_INVALID_ARGUMENT: @from has neither a name nor a stream.
 * DPR_ERROR_NOT_FOUND: there is no file of this name.
 * DPR_ERROR_FILE: it cannot be opened, or is a directory.
 */
dpr_status byte_source_open(struct byte_source *source, dpr_file from);

/* Read up to @size bytes, and fewer only at the end.  DPR_ERROR_FILE: a read
   has failed. */
dpr_status byte_source_read(struct byte_source *source, void *to, size_t size,
			    size_t *got);

/* Read up to @size bytes of @file, and fewer only at its end.  DPR_ERROR_FILE:
   a read has failed. */
dpr_status byte_source_read_file(FILE *file, void *to, size_t size,
				 size_t *got);

/* Close a file that byte_source_open() has opened. */
void byte_source_close(struct byte_source *source);

/* The name of a file in texts of errors. */
const char *byte_source_name(dpr_file file);

#endif
