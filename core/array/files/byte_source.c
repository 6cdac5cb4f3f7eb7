/* SPDX-License-Identifier: Apache-2.0 */
/* byte_source.c - the bytes of a file, one after the other. */
#include "core/array/files/byte_source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/status.h"

dpr_status byte_source_read_file(FILE *file, void *to, size_t size, size_t *got)
{
	*got = 0;
	while (*got < size) {
		errno = 0;
		*got += fread((char *)to + *got, 1, size - *got, file);
		if (*got == size || feof(file))
			return DPR_OK;
		if (errno != EINTR)
			return fail(DPR_ERROR_FILE, "cannot read: %s",
				    strerrordesc_np(errno));
		clearerr(file);
	}
	return DPR_OK;
}

static dpr_status next_bytes(struct byte_source *source, void *to, size_t size,
			     size_t *got)
{
	return byte_source_read_file(source->file, to, size, got);
}

/* Count the bytes that follow in a regular file. */
static dpr_status count_bytes(struct byte_source *source)
{
	struct stat st;
	off_t at;

	source->left = BYTE_SOURCE_ENDLESS;
	/* A stream over memory has no descriptor. */
	if (fileno(source->file) < 0 || fstat(fileno(source->file), &st))
		return DPR_OK;
	if (S_ISDIR(st.st_mode))
		return fail(DPR_ERROR_FILE, "is a directory");
	at = S_ISREG(st.st_mode) ? ftello(source->file) : -1;
	if (at >= 0)
		source->left = st.st_size > at ? st.st_size - at : 0;
	return DPR_OK;
}

dpr_status byte_source_open(struct byte_source *source, dpr_file from)
{
	dpr_status status;

	memset(source, 0, sizeof(*source));
	if (!from.path && !from.stream)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "the file has neither a name nor a stream");
	source->next = next_bytes;
	source->file = from.stream;
	if (from.path) {
		source->file = fopen(from.path, "rbe");
		source->opened = source->is_whole = true;
	}
	if (!source->file)
		return fail(errno == ENOENT ? DPR_ERROR_NOT_FOUND
					    : DPR_ERROR_FILE,
			    "cannot open: %s", strerrordesc_np(errno));
	status = count_bytes(source);
	if (status)
		byte_source_close(source);
	return status;
}

dpr_status byte_source_read(struct byte_source *source, void *to, size_t size,
			    size_t *got)
{
	dpr_status status = source->next(source, to, size, got);

	if (source->left != BYTE_SOURCE_ENDLESS)
		source->left -= (int64_t)*got < source->left ? (int64_t)*got
							     : source->left;
	return status;
}

void byte_source_close(struct byte_source *source)
{
	if (source->opened && source->file)
		fclose(source->file);
	source->file = NULL;
}

const char *byte_source_name(dpr_file file)
{
	return file.path ? file.path : "a stream";
}
