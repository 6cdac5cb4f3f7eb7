/* SPDX-License-Identifier: Apache-2.0 */
/* npy.c - .npy files from and to arrays. */
#include "core/array/files/npy.h"

#include <string.h>

#include <dpr/creation.h>
#include <dpr/event.h>
#include <dpr/usm.h>

#include "core/array/files/npy_read.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"

#define HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* A multiple of the size of every element. */
#define CHUNK ((size_t)8 << 20)

static size_t chunk_size(uint64_t left)
{
	return left < CHUNK ? (size_t)left : CHUNK;
}

/* --- Elements by way of host memory ----------------------------------------
 */

/* Two pieces of host memory.  The device copies one while the host uses the
   other. */
struct chunks {
	void *piece[2];
	dpr_event *busy[2]; /* the copy of a piece; NULL: none is under way */
};

static dpr_status chunks_make(struct chunks *chunks, uint64_t bytes)
{
	const size_t size = chunk_size(bytes);

	memset(chunks, 0, sizeof(*chunks));
	chunks->piece[0] = mem_alloc(size);
	if (bytes > size)
		chunks->piece[1] = mem_alloc(size);
	if (!chunks->piece[0] || (bytes > size && !chunks->piece[1]))
		return fail_memory("elements");
	return DPR_OK;
}

/* Wait until the copy of piece @k is over.  If the wait fails because exit()
   has begun, the copy may still be under way.  Then the piece is never freed.
 */
static dpr_status chunks_wait(struct chunks *chunks, int k)
{
	dpr_event *const busy = chunks->busy[k];
	dpr_status status = DPR_OK;

	if (busy)
		status = dpr_event_wait(busy);
	if (status && dpr_event_get_state(busy) < DPR_EVENT_COMPLETE)
		chunks->piece[k] = NULL;
	dpr_event_release(chunks->busy[k]);
	chunks->busy[k] = NULL;
	return status;
}

/* Wait for all copies and free the memory.  Returns @status if it is a failure,
   else that of the copies. */
static dpr_status chunks_end(struct chunks *chunks, dpr_status status)
{
	for (int k = 0; k < 2; k++) {
		char *text = status ? status_keep() : NULL;
		dpr_status copied = chunks_wait(chunks, k);

		if (status)
			status_restore(text);
		else
			status = copied;
		mem_free(chunks->piece[k]);
	}
	return status;
}

static dpr_status load_chunks(struct npy_reader *reader, const dpr_array *x)
{
	struct chunks chunks;
	size_t size, offset = 0;
	dpr_status status;
	int k = 0;

	status = chunks_make(&chunks, reader->left);
	for (; !status && reader->left; k = !k, offset += size) {
		size = chunk_size(reader->left);
		status = chunks_wait(&chunks, k);
		if (!status)
			status = npy_read_elements(reader, chunks.piece[k],
						   size);
		if (!status)
			status = dpr_usm_write(x->queue, x->usm, offset,
					       chunks.piece[k], size, NULL,
					       &chunks.busy[k]);
	}
	return chunks_end(&chunks, status);
}

/* Write the elements of @x, which is C-contiguous.  While a piece is written,
   the next one is copied. */
static dpr_status save_chunks(struct byte_sink *sink, const dpr_array *x)
{
	const size_t item = dpr_dtype_size(x->dtype);
	const uint64_t bytes = (uint64_t)x->size * item;
	const size_t first = (size_t)x->offset * item;
	struct chunks chunks;
	uint64_t read = 0, at = 0;
	dpr_status status;
	size_t size;
	int k = 0;

	status = chunks_make(&chunks, bytes);
	for (; !status && at < bytes; k = !k, at += size) {
		while (!status && read < bytes && read < at + 2 * CHUNK) {
			const int into = (int)(read / CHUNK % 2);

			size = chunk_size(bytes - read);
			status = dpr_usm_read(x->queue, chunks.piece[into],
					      x->usm, first + (size_t)read,
					      size, NULL, &chunks.busy[into]);
			read += size;
		}
		size = chunk_size(bytes - at);
		if (!status)
			status = chunks_wait(&chunks, k);
		if (status)
			break;
		npy_header_convert(chunks.piece[k], size, x->dtype,
				   HOST_IS_BIG);
		status = byte_sink_write(sink, chunks.piece[k], size);
	}
	return chunks_end(&chunks, status);
}

/* --- Elements where the host can use the memory ----------------------------
 */

static dpr_status load_direct(struct npy_reader *reader, const dpr_array *x,
			      char *address)
{
	static const char zeros[16];
	dpr_status status;
	size_t size;

	/* This waits for earlier work on the queue that uses the memory. */
	status = dpr_usm_write(x->queue, x->usm, 0, zeros,
			       dpr_dtype_size(x->dtype), NULL, NULL);
	for (; !status && reader->left; address += size) {
		size = chunk_size(reader->left);
		status = npy_read_elements(reader, address, size);
	}
	return status;
}

/* --- Arrays ----------------------------------------------------------------
 */

dpr_status npy_load_from(struct byte_source *source, dpr_queue *queue,
			 dpr_usm_kind kind, dpr_array **out)
{
	struct npy_reader reader;
	const struct npy_header *header = &reader.header;
	int64_t shape[DPR_MAX_RANK];
	dpr_array *stored, *transposed;
	dpr_status status;
	bool reversed;
	char *address;
	int k;

	/* Copies have to be waited for, which a callback may not. */
	status = dpr_events_wait(NULL);
	if (!status)
		status = npy_read_begin(&reader, source);
	if (status)
		return status;
	reversed = header->fortran && header->rank > 1;
	for (k = 0; k < header->rank; k++)
		shape[k] = header->shape[reversed ? header->rank - 1 - k : k];
	status = dpr_empty_on(dpr_shape_of(header->rank, shape), header->dtype,
			      queue, kind, &stored);
	if (status)
		return status;
	address = dpr_array_data(stored);
	if (stored->usm)
		status = address ? load_direct(&reader, stored, address)
				 : load_chunks(&reader, stored);
	if (!status)
		status = npy_read_end(&reader);
	if (status || !reversed)
		return array_finish(status, stored, out);
	status = dpr_permute_dims(stored, NULL, &transposed);
	dpr_array_release(stored);
	if (!status)
		*out = transposed;
	return status;
}

dpr_status(dpr_npy_load_on)(dpr_file from, dpr_queue *queue, dpr_usm_kind kind,
			    dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	struct byte_source source;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "npy load: out is NULL");
	*out = NULL;
	status = process_check("npy load");
	if (status)
		return status;
	status = byte_source_open(&source, from);
	if (!status) {
		status = npy_load_from(&source, queue, kind, out);
		byte_source_close(&source);
	}
	if (status)
		status_prefix("npy load: %s", byte_source_name(from));
	return status;
}

dpr_status(dpr_npy_load)(dpr_file from, dpr_queue *queue, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);

	return dpr_npy_load_on(from, queue, DPR_USM_DEVICE, out);
}

dpr_status npy_prepare(const dpr_array *x, dpr_array **dense)
{
	static const int64_t shape[1];
	char header[NPY_HEADER_MAX];
	dpr_status status = DPR_OK;

	*dense = NULL;
	if (!npy_header_format(x->dtype, 0, shape, header))
		return fail(DPR_ERROR_DTYPE,
			    ".npy has no %s; cast the array with "
			    "dpr_astype()",
			    dpr_dtype_name(x->dtype));
	if (x->contiguous)
		*dense = dpr_array_retain((dpr_array *)(uintptr_t)x);
	else
		status = dpr_copy(x, dense);
	return status ? status : dpr_array_wait(*dense);
}

dpr_status npy_save_to(struct byte_sink *sink, const dpr_array *x)
{
	char header[NPY_HEADER_MAX];
	const size_t size =
		npy_header_format(x->dtype, x->rank, array_shape(x), header);
	dpr_status status = byte_sink_write(sink, header, size);
	const char *address;

	if (status || !x->usm)
		return status;
	/* A big-endian host changes the bytes, which it may not do in place. */
	address = HOST_IS_BIG ? NULL : dpr_array_data(x);
	if (!address)
		return save_chunks(sink, x);
	return byte_sink_write(sink, address, dpr_array_nbytes(x));
}

dpr_status(dpr_npy_save)(const dpr_array *x, dpr_file to)
{
	TRACE_CALL;
	HANDLES(x);
	struct byte_sink sink;
	dpr_array *dense;
	dpr_status status;

	if (!x)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "npy save: the array is NULL");
	status = process_check("npy save");
	if (status)
		return status;
	array_trace(x->dtype, x->rank, array_shape(x));
	/* If the work that made the elements has failed, no file appears. */
	status = npy_prepare(x, &dense);
	if (!status)
		status = byte_sink_open(&sink, to);
	if (!status)
		status = byte_sink_end(&sink, npy_save_to(&sink, dense));
	dpr_array_release(dense);
	if (status)
		status_prefix("npy save: %s", byte_source_name(to));
	return status;
}
