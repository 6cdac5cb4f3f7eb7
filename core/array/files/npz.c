/* SPDX-License-Identifier: Apache-2.0 */
/* npz.c - .npz files, which are zip archives of .npy files. */
#include <dpr/file.h>

#include <stdlib.h>
#include <string.h>

#include "core/array/files/npy.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"

#ifdef HAVE_ZLIB

#include "core/array/files/zip_read.h"
#include "core/array/files/zip_write.h"

/* --- Reading ---------------------------------------------------------------
 */

/* The length of an array's name: that of the member without ".npy".  0: the
   member is no array. */
static size_t name_size(const struct zip_member *member)
{
	const size_t n = member->name_size;

	return n > 4 && !memcmp(member->name + n - 4, ".npy", 4) ? n - 4 : 0;
}

/* Copy the names of all arrays into one block: pointers, then texts. */
static dpr_status list_names(struct zip_archive *archive, char ***names,
			     size_t *count)
{
	struct zip_member member;
	dpr_status status;
	size_t size = 0, n = 0;
	bool found;
	char *text;

	while (!(status = zip_read_next(archive, &member, &found)) && found) {
		n += name_size(&member) > 0;
		size += name_size(&member) + 1;
	}
	if (status)
		return status;
	*names = mem_alloc((n + 1) * sizeof(char *) + size);
	if (!*names)
		return fail_memory("names");
	text = (char *)(*names + n + 1);
	archive->at = 0;
	while (!zip_read_next(archive, &member, &found) && found) {
		size = name_size(&member);
		if (!size)
			continue;
		(*names)[(*count)++] = memcpy(text, member.name, size);
		text += size + 1;
	}
	return DPR_OK;
}

static dpr_status load_names(dpr_file from, char ***names, size_t *count)
{
	struct zip_archive archive;
	dpr_status status = zip_read_open(&archive, from);

	if (status)
		return status;
	status = list_names(&archive, names, count);
	zip_read_close(&archive);
	return status;
}

static dpr_status load_member(struct zip_archive *archive,
			      const struct zip_member *member, dpr_queue *queue,
			      dpr_usm_kind kind, dpr_array **out)
{
	struct zip_stream stream;
	dpr_status status = zip_read_member(archive, member, &stream);

	if (status)
		return status;
	status = npy_load_from(&stream.source, queue, kind, out);
	zip_read_end(&stream);
	return status;
}

/* Load an array by name. */
static dpr_status load_from(struct zip_archive *archive, const char *name,
			    dpr_queue *queue, dpr_usm_kind kind,
			    dpr_array **out)
{
	const size_t size = strlen(name);
	struct zip_member member;
	dpr_status status;
	bool found;

	while (!(status = zip_read_next(archive, &member, &found)) && found) {
		if (name_size(&member) != size ||
		    memcmp(member.name, name, size))
			continue;
		status = load_member(archive, &member, queue, kind, out);
		if (status)
			status_prefix("array '%s'", text_quote(name).bytes);
		return status;
	}
	return status ? status
		      : fail(DPR_ERROR_NOT_FOUND,
			     "has no array '%s'; dpr_npz_names() lists what "
			     "it has",
			     text_quote(name).bytes);
}

static dpr_status load_named(dpr_file from, const char *name, dpr_queue *queue,
			     dpr_usm_kind kind, dpr_array **out)
{
	struct zip_archive archive;
	dpr_status status = zip_read_open(&archive, from);

	if (status)
		return status;
	status = load_from(&archive, name, queue, kind, out);
	zip_read_close(&archive);
	return status;
}

/* --- Writing ---------------------------------------------------------------
 */

static dpr_status write_member(struct zip_writer *writer, const char *name,
			       const dpr_array *x)
{
	const size_t size = strlen(name) + sizeof(".npy");
	char *member = mem_alloc(size);
	dpr_status status;

	if (!member)
		return fail_memory("an archive");
	snprintf(member, size, "%s.npy", name);
	status = zip_write_begin(writer, member);
	mem_free(member);
	if (!status)
		status = npy_save_to(&writer->sink, x);
	return status ? status : zip_write_end(writer);
}

static dpr_status write_archive(struct byte_sink *file,
				const dpr_npz_entry *entries,
				dpr_array *const *dense, size_t count,
				bool deflates)
{
	struct zip_writer writer;
	dpr_status status = zip_write_open(&writer, file, deflates);

	if (status)
		return status;
	for (size_t k = 0; !status && k < count; k++)
		status = write_member(&writer, entries[k].name, dense[k]);
	return zip_write_close(&writer, status);
}

static dpr_status save_all(const dpr_npz_entry *entries, size_t count,
			   bool deflates, dpr_file to)
{
	dpr_array **dense = mem_array(count + 1, sizeof(*dense));
	dpr_status status = dense ? DPR_OK : fail_memory("an archive");
	struct byte_sink sink;

	/* If work that made elements has failed, no file appears. */
	for (size_t k = 0; !status && k < count; k++) {
		status = npy_prepare(entries[k].array, &dense[k]);
		if (status)
			status_prefix("array '%s'",
				      text_quote(entries[k].name).bytes);
	}
	if (!status)
		status = byte_sink_open(&sink, to);
	if (!status)
		status = byte_sink_end(
			&sink,
			write_archive(&sink, entries, dense, count, deflates));
	for (size_t k = 0; dense && k < count; k++)
		dpr_array_release(dense[k]);
	mem_free(dense);
	return status;
}

#else

/* --- A build without zlib --------------------------------------------------
 */

static dpr_status fail_zlib(void)
{
	return fail(DPR_ERROR_UNSUPPORTED,
		    "this build of dpr has no zlib, which .npz files need; "
		    "build it with zlib (Debian: zlib1g-dev), or use .npy "
		    "files");
}

static dpr_status load_names(dpr_file from, char ***names, size_t *count)
{
	(void)from, (void)names, (void)count;
	return fail_zlib();
}

static dpr_status load_named(dpr_file from, const char *name, dpr_queue *queue,
			     dpr_usm_kind kind, dpr_array **out)
{
	(void)from, (void)name, (void)queue, (void)kind, (void)out;
	return fail_zlib();
}

static dpr_status save_all(const dpr_npz_entry *entries, size_t count,
			   bool deflates, dpr_file to)
{
	(void)entries, (void)count, (void)deflates, (void)to;
	return fail_zlib();
}

#endif

/* --- Public functions ------------------------------------------------------
 */

dpr_status(dpr_npz_names)(dpr_file from, char ***names, size_t *count)
{
	TRACE_CALL;
	dpr_status status;

	if (names)
		*names = NULL;
	if (count)
		*count = 0;
	if (!names || !count)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "npz names: %s is NULL",
			    names ? "count" : "names");
	status = load_names(from, names, count);
	if (status)
		status_prefix("npz names: %s", byte_source_name(from));
	return status;
}

dpr_status(dpr_npz_load_on)(dpr_file from, const char *name, dpr_queue *queue,
			    dpr_usm_kind kind, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	dpr_status status;

	if (out)
		*out = NULL;
	if (!name || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "npz load: %s is NULL",
			    name ? "out" : "the name");
	status = process_check("npz load");
	if (status)
		return status;
	status = load_named(from, name, queue, kind, out);
	if (status)
		status_prefix("npz load: %s", byte_source_name(from));
	return status;
}

dpr_status(dpr_npz_load)(dpr_file from, const char *name, dpr_queue *queue,
			 dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);

	return dpr_npz_load_on(from, name, queue, DPR_USM_DEVICE, out);
}

/* Check that each entry has an array and a name of its own. */
static dpr_status check_entries(const dpr_npz_entry *entries, size_t count)
{
	size_t k, j;

	if (count && !entries)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "npz save: the list of arrays is NULL");
	for (k = 0; k < count; k++) {
		if (!entries[k].name || !*entries[k].name || !entries[k].array)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "npz save: array %zu has no %s", k,
				    entries[k].array ? "name" : "array");
		if (strlen(entries[k].name) > DPR_NPZ_NAME_MAX)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "npz save: the name of array %zu is longer "
				    "than %d bytes",
				    k, DPR_NPZ_NAME_MAX);
		for (j = 0; j < k; j++)
			if (!strcmp(entries[j].name, entries[k].name))
				return fail(DPR_ERROR_EXISTS,
					    "npz save: two arrays are called "
					    "'%s'",
					    text_quote(entries[k].name).bytes);
	}
	return DPR_OK;
}

dpr_status(dpr_npz_save)(const dpr_npz_entry *entries, size_t count,
			 enum dpr_npz_packing packing, dpr_file to)
{
	TRACE_CALL;
	dpr_status status = check_entries(entries, count);

	if (!status && packing != DPR_NPZ_STORED && packing != DPR_NPZ_DEFLATED)
		status = fail(DPR_ERROR_INVALID_ARGUMENT,
			      "npz save: %d is no value of "
			      "enum dpr_npz_packing",
			      (int)packing);
	if (!status)
		status = process_check("npz save");
	if (status)
		return status;
	status = save_all(entries, count, packing == DPR_NPZ_DEFLATED, to);
	if (status)
		status_prefix("npz save: %s", byte_source_name(to));
	return status;
}
