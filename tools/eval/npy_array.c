/* SPDX-License-Identifier: Apache-2.0 */
/* npy_array.c - .npy files from and to arrays on a device. */
#include "tools/eval/npy_array.h"

#include <stdlib.h>
#include <string.h>

#include <dpr/creation.h>
#include <dpr/usm.h>

#include "tools/eval/npy.h"
#include "tools/eval/npy_write.h"
#include "tools/shared/progress_line.h"

/* A multiple of every element's size. */
#define CHUNK ((size_t)8 << 20)
/* Smaller files are read too fast for a progress line to be useful. */
#define PROGRESS_MIN ((uint64_t)64 << 20)

static size_t chunk_size(uint64_t left)
{
	return left < CHUNK ? (size_t)left : CHUNK;
}

static void show_progress(const struct npy_reader *reader)
{
	uint64_t total = reader->header.bytes;

	progress_line_show("%s: %llu of %llu MiB", reader->path,
			   (unsigned long long)((total - reader->left) >> 20),
			   (unsigned long long)(total >> 20));
}

static bool load_elements(struct npy_reader *reader, dpr_array *x,
			  struct message *message)
{
	bool progress = reader->header.bytes >= PROGRESS_MIN;
	size_t size = chunk_size(reader->left), offset = 0;
	void *chunk = malloc(size ? size : 1);
	bool ok = true;

	if (!chunk)
		return message_set(message, "%s: out of memory", reader->path);
	while (ok && reader->left) {
		size = chunk_size(reader->left);
		ok = npy_read(reader, chunk, size, message);
		if (ok && dpr_usm_write(dpr_array_queue(x), dpr_array_usm(x),
					offset, chunk, size, NULL, NULL))
			ok = message_set(message, "%s: %s", reader->path,
					 dpr_last_error());
		offset += size;
		if (ok && progress)
			show_progress(reader);
	}
	progress_line_end();
	free(chunk);
	return ok && npy_read_end(reader, message);
}

/* Make an array of the file's elements in the order in which they are
   stored. */
static bool load_stored(struct npy_reader *reader, dpr_queue *queue,
			dpr_array **out, struct message *message)
{
	const struct npy_header *header = &reader->header;
	int64_t shape[DPR_MAX_RANK];
	int i;

	for (i = 0; i < header->rank; i++)
		shape[i] = header->shape[header->fortran ? header->rank - 1 - i
							 : i];
	if (dpr_empty(dpr_shape_of(header->rank, shape), header->dtype, queue,
		      out))
		return message_set(message, "%s: %s", reader->path,
				   dpr_last_error());
	if (load_elements(reader, *out, message))
		return true;
	dpr_array_release(*out);
	*out = NULL;
	return false;
}

bool npy_array_load(const char *path, dpr_queue *queue, dpr_array **out,
		    struct message *message)
{
	struct npy_reader reader;
	dpr_array *stored;
	bool ok;

	*out = NULL;
	if (!npy_open(&reader, path, message))
		return false;
	ok = load_stored(&reader, queue, &stored, message);
	npy_close(&reader);
	if (!ok)
		return false;
	if (!reader.header.fortran || reader.header.rank < 2) {
		*out = stored;
		return true;
	}
	if (dpr_permute_dims(stored, NULL, out))
		ok = message_set(message, "%s: %s", path, dpr_last_error());
	dpr_array_release(stored);
	return ok;
}

/* Write the elements of @x, which is C-contiguous. */
static bool store_elements(const dpr_array *x, struct npy_writer *writer,
			   struct message *message)
{
	size_t item = dpr_array_itemsize(x);
	uint64_t left = (uint64_t)dpr_array_size(x) * item;
	size_t offset = (size_t)dpr_array_offset(x) * item;
	size_t size = chunk_size(left);
	void *chunk = malloc(size ? size : 1);
	bool ok = true;

	if (!chunk)
		return message_set(message, "%s: out of memory", writer->path);
	for (; ok && left; left -= size, offset += size) {
		size = chunk_size(left);
		if (dpr_usm_read(dpr_array_queue(x), chunk, dpr_array_usm(x),
				 offset, size, NULL, NULL))
			ok = message_set(message, "%s: %s", writer->path,
					 dpr_last_error());
		else
			ok = npy_write(writer, chunk, size, dpr_array_dtype(x),
				       message);
	}
	free(chunk);
	return ok;
}

bool npy_array_store(const dpr_array *x, const char *path,
		     struct message *message)
{
	struct npy_writer writer;
	dpr_array *dense = NULL;
	bool ok;

	if (!dpr_array_is_contiguous(x)) {
		if (dpr_copy(x, &dense))
			return message_set(message, "%s: %s", path,
					   dpr_last_error());
		x = dense;
	}
	/* Wait for the elements first: if they failed, no file is created. */
	if (dpr_array_wait(x))
		ok = message_set(message, "%s: %s", path, dpr_last_error());
	else
		ok = npy_write_create(&writer, path, dpr_array_dtype(x),
				      dpr_array_rank(x), dpr_array_shape(x),
				      message);
	if (ok) {
		ok = store_elements(x, &writer, message);
		if (ok)
			ok = npy_write_commit(&writer, message);
		else
			npy_write_abandon(&writer);
	}
	dpr_array_release(dense);
	return ok;
}
