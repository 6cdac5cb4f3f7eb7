/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - arrays from and to files in NumPy's formats .npy and .npz.
 *
 * A file is a name or an open stream.  A name means the whole file.  A stream
 * is used from its position on, and stays open; after success its position is
 * behind the array, so that several arrays can follow each other.  Only one
 * thread at a time may use a stream.
 *
 * .npy files of versions 1.0, 2.0 and 3.0 are read, in C and Fortran order and
 * in either byte order.  Version 1.0 is written, little endian, in C order,
 * with the bytes that NumPy would write.  The dtypes are all of dpr's but
 * bfloat16, for which the format has no name.  (NEP 1, and numpy.lib.format.)
 *
 * Where the host can use an array's memory, the elements are read from the file
 * into that memory, and written from it.  Otherwise they go through two pieces
 * of host memory of 8 MiB: one is copied to or from the device while the other
 * one is read or written.
 */
#ifndef DPR_FILE_H
#define DPR_FILE_H

#include <stdio.h>

#include <dpr/array.h>
#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/* The name of a file, or with @path NULL an open stream.  Borrowed for the call.
   Passed by value; its layout never changes (16 bytes). */
typedef struct dpr_file {
	const char *path; /* the file's name; or NULL */
	FILE *stream; /* an open file; or NULL */
} dpr_file;

/* These functions make a dpr_file by value, and never fail.  NULL is reported
   by the function that takes the file. */
static inline dpr_file dpr_file_path(const char *path)
{
	dpr_file file = { path, NULL };

	return file;
}
static inline dpr_file dpr_file_stream(FILE *stream)
{
	dpr_file file = { NULL, stream };

	return file;
}
/* Returns @file, for DPR_FILE. */
static inline dpr_file dpr_file_same(dpr_file file)
{
	return file;
}

DPR_END_DECLS

/* DPR_FILE(x): a file from a name, a stream or a dpr_file. */
#ifdef __cplusplus
static inline dpr_file dpr_file_of(const char *path)
{
	return dpr_file_path(path);
}
static inline dpr_file dpr_file_of(FILE *stream)
{
	return dpr_file_stream(stream);
}
static inline dpr_file dpr_file_of(dpr_file file)
{
	return file;
}
#define DPR_FILE(x) dpr_file_of(x)
#else
#define DPR_FILE(x) \
	_Generic((x), char *: dpr_file_path, const char *: dpr_file_path, \
		FILE *: dpr_file_stream, dpr_file: dpr_file_same)(x)
#endif

DPR_BEGIN_DECLS

/*
 * Make an array of the elements in a .npy file.  @from is the file, and @queue
 * the array's (NULL: the default device's canonical queue).  dpr_npy_load()
 * uses DEVICE memory, _on() memory of @kind.  The shape and the dtype are those
 * of the file.  A file in Fortran order gives a view with the axes reversed.
 * The caller gets a reference.  Returns when the elements are in the array's
 * memory.
 *
 * A file given by name must end behind its elements.
 *
 * DPR_ERROR_NOT_FOUND: there is no file of this name.
 * DPR_ERROR_FILE: the file cannot be read, is no .npy file, or is damaged.
 * DPR_ERROR_DTYPE: the elements are of a type that dpr does not have: text,
 * Python objects, dates, structures or extended floats.
 * DPR_ERROR_INVALID_ARGUMENT: NULL in place of a file.
 * Others as dpr_empty_on() and dpr_usm_write().
 */
DPR_API DPR_CHECK dpr_status dpr_npy_load(
	dpr_file from, dpr_queue *queue, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_npy_load_on(
	dpr_file from, dpr_queue *queue, dpr_usm_kind kind, dpr_array **out);

/*
 * Write @x to a .npy file: @to is its name or an open stream.  Waits for the
 * work that writes @x.  An array that is not C-contiguous is first copied on
 * its device.
 *
 * A regular file given by name appears when it is complete.  Until then its
 * bytes are in a file without a name, in the same folder.  Where the file system
 * has no such files, and for a moment where an older file is replaced, the file
 * is called ".dpr-...tmp" there.  So the folder must be writable.  Of an older
 * file the permission bits are kept, but not its owner, hard links and access
 * lists.  After a failure the older file is as it was.  Symbolic links are
 * followed.  A pipe or device is written in place.  A stream is flushed; if a
 * signal interrupts a write to a stream, the call fails.  No write raises
 * SIGPIPE or SIGXFSZ.
 *
 * DPR_ERROR_FILE: the file cannot be written.
 * DPR_ERROR_DTYPE: @x is bfloat16; cast it with dpr_astype().
 * DPR_ERROR_INVALID_ARGUMENT: NULL in place of a file or of @x.
 * Others as dpr_copy(), dpr_array_wait() and dpr_usm_read().
 */
DPR_API DPR_CHECK dpr_status dpr_npy_save(const dpr_array *x, dpr_file to);

/*
 * A .npz file holds several arrays by name: it is a zip archive of .npy files.
 * Members may be stored or deflated.  An archive may have zip64 records.
 *
 * An archive is all of its stream.  To read one, fseek() must be able to
 * position the stream, whose position is undefined afterwards.  Writing needs
 * no positions, so the stream may be a pipe.
 *
 * A build of dpr without zlib returns DPR_ERROR_UNSUPPORTED for all of these.
 */

/*
 * Get the names of the arrays in a .npz file, in the order of the file.
 * *@names is a single block, which ends with NULL and is to be freed with
 * dpr_free().
 * DPR_ERROR_NOT_FOUND: there is no file of this name.
 * DPR_ERROR_FILE: the file cannot be read, is no .npz file, or is damaged.
 * DPR_ERROR_INVALID_ARGUMENT: NULL in place of a file or an output.
 */
DPR_API DPR_CHECK dpr_status dpr_npz_names(
	dpr_file from, char ***names, size_t *count);

/*
 * Load one array of a .npz file by its name, as dpr_npy_load() and
 * dpr_npy_load_on() load a .npy file.  The checksum of the array is checked.
 * Errors as those of dpr_npy_load(), and
 * DPR_ERROR_NOT_FOUND: no array in the file has this name.
 * DPR_ERROR_UNSUPPORTED: the array is encrypted, or packed by another method
 * than deflate.
 */
DPR_API DPR_CHECK dpr_status dpr_npz_load(
	dpr_file from, const char *name, dpr_queue *queue, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_npz_load_on(dpr_file from, const char *name,
	dpr_queue *queue, dpr_usm_kind kind, dpr_array **out);

/* The most bytes of a name in a .npz file. */
#define DPR_NPZ_NAME_MAX 65000

/* An array and its name.  Both are borrowed for the call. */
typedef struct dpr_npz_entry {
	const char *name; /* not empty, in UTF-8 */
	const dpr_array *array; /* its elements are written */
} dpr_npz_entry;

/* Whether dpr_npz_save() makes the arrays smaller, which takes time. */
typedef enum dpr_npz_packing {
	DPR_NPZ_STORED = 0,
	DPR_NPZ_DEFLATED = 1
} dpr_npz_packing;

/*
 * Write arrays to a .npz file, which NumPy's load() reads.  The same
 * arrays give the same bytes.  Waits for the work that writes them.  The file
 * appears as that of dpr_npy_save().
 * DPR_ERROR_EXISTS: two arrays have the same name.
 * DPR_ERROR_INVALID_ARGUMENT: NULL in place of a file, an array or a name; an
 * empty or too long name; no dpr_npz_packing.
 * Others as dpr_npy_save().
 */
DPR_API DPR_CHECK dpr_status dpr_npz_save(const dpr_npz_entry *arrays,
	size_t count, dpr_npz_packing packing, dpr_file to);

DPR_END_DECLS

/* The wrappers take a name, a stream or a dpr_file where the functions take a
   dpr_file. */
#define dpr_npy_load(from, queue, out) \
	(dpr_npy_load)(DPR_FILE(from), (queue), (out))
#define dpr_npy_load_on(from, queue, kind, out) \
	(dpr_npy_load_on)(DPR_FILE(from), (queue), (kind), (out))
#define dpr_npy_save(x, to) (dpr_npy_save)((x), DPR_FILE(to))
#define dpr_npz_names(from, names, count) \
	(dpr_npz_names)(DPR_FILE(from), (names), (count))
#define dpr_npz_load(from, name, queue, out) \
	(dpr_npz_load)(DPR_FILE(from), (name), (queue), (out))
#define dpr_npz_load_on(from, name, queue, kind, out) \
	(dpr_npz_load_on)(DPR_FILE(from), (name), (queue), (kind), (out))
#define dpr_npz_save(arrays, count, packing, to) \
	(dpr_npz_save)((arrays), (count), (packing), DPR_FILE(to))

#endif
