/* SPDX-License-Identifier: Apache-2.0 */
/* embed.c - inflates the embedded files that the build has deflated with gzip.
 */
#include "config.h"
#include "kernels/embed.h"

#ifdef EMBED_DEFLATED
#define ZLIB_CONST
#include <pthread.h>
#include <stdint.h>
#include <zlib.h>

#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"

/* A gzip file ends with the checksum and the size of the inflated file, of 4
   bytes each.  LEAST: the fewest bytes of a gzip file.  RATIO_MAX: the most
   bytes that a byte of deflated data can become. */
enum { SIZE_BYTES = 4, LEAST = 18, RATIO_MAX = 1032 };

/* Bytes of a word of a file in planes. */
enum { WORD = 4 };

/* Tells zlib to read the gzip format, with the largest window. */
enum { GZIP_BITS = 16 + MAX_WBITS };

/* Guards embed_list and the inflated files.  A thread holds the mutex while it
   inflates a file. */
static pthread_mutex_t embed_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct embed *embed_list;

/* Called by dpr_finalize(), when no array and no queue exists.  So no kernel is
   being written, and no thread uses a file. */
static void drop_files(void)
{
	pthread_mutex_lock(&embed_mutex);
	while (embed_list) {
		struct embed *file = embed_list;

		embed_list = file->next;
		mem_free(file->whole);
		file->whole = NULL;
		file->next = NULL;
	}
	pthread_mutex_unlock(&embed_mutex);
}

static void add_hook(void)
{
	static struct kept_hook hook = { .drop = drop_files };

	process_add_kept(&hook);
}

static dpr_status fail_damaged(const struct embed *file)
{
	return fail(DPR_ERROR_FILE,
		    "%s in libdpr cannot be inflated: the library's file is "
		    "damaged; install dpr again",
		    file->name);
}

/* take() and give() allocate and free memory for zlib. */
static void *take(void *user, unsigned n, unsigned size)
{
	(void)user;
	return mem_array(n, size);
}

static void give(void *user, void *memory)
{
	(void)user;
	mem_free(memory);
}

/* Inflate @file into @size bytes at @whole.  zlib verifies the checksum and the
   size. */
static dpr_status inflate_into(const struct embed *file, unsigned char *whole,
			       size_t size)
{
	z_stream z = { .zalloc = take,
		       .zfree = give,
		       .next_in = file->begin,
		       .avail_in = (uInt)(file->end - file->begin) };
	int result = inflateInit2(&z, GZIP_BITS);

	if (result == Z_OK) {
		z.next_out = whole;
		z.avail_out = (uInt)size;
		result = inflate(&z, Z_FINISH);
		(void)inflateEnd(&z);
	}
	if (result == Z_MEM_ERROR)
		return fail_memory(file->name);
	return result == Z_STREAM_END ? DPR_OK : fail_damaged(file);
}

/* Replace the planes at *@whole by the words of which they were made. */
static dpr_status join_planes(const struct embed *file, unsigned char **whole,
			      size_t size)
{
	unsigned char *words;

	if (size % WORD)
		return fail_damaged(file);
	words = mem_alloc(size);
	if (!words)
		return fail_memory(file->name);
	for (size_t i = 0; i < size; i++)
		words[i] = (*whole)[i % WORD * (size / WORD) + i / WORD];
	mem_free(*whole);
	*whole = words;
	return DPR_OK;
}

static dpr_status make_whole(struct embed *file)
{
	const size_t deflated = (size_t)(file->end - file->begin);
	unsigned char *whole;
	uint64_t size = 0;
	dpr_status status;

	if (deflated < LEAST)
		return fail_damaged(file);
	for (int i = 1; i <= SIZE_BYTES; i++)
		size = size << 8 | file->end[-i];
	if (!size || size > (uint64_t)deflated * RATIO_MAX)
		return fail_damaged(file);
	whole = mem_alloc((size_t)size);
	if (!whole)
		return fail_memory(file->name);
	status = inflate_into(file, whole, (size_t)size);
	if (!status && file->has_planes)
		status = join_planes(file, &whole, (size_t)size);
	if (status) {
		mem_free(whole);
		return status;
	}
	file->whole = whole;
	file->size = (size_t)size;
	file->next = embed_list;
	embed_list = file;
	return DPR_OK;
}

dpr_status embed_get(struct embed *file, const void **data, size_t *size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	dpr_status status = DPR_OK;

	pthread_once(&once, add_hook);
	pthread_mutex_lock(&embed_mutex);
	if (!file->whole)
		status = make_whole(file);
	*data = file->whole;
	*size = file->whole ? file->size : 0;
	pthread_mutex_unlock(&embed_mutex);
	return status;
}

size_t embed_held(void)
{
	size_t held = 0;

	pthread_mutex_lock(&embed_mutex);
	for (const struct embed *file = embed_list; file; file = file->next)
		held += file->size;
	pthread_mutex_unlock(&embed_mutex);
	return held;
}
#else
dpr_status embed_get(struct embed *file, const void **data, size_t *size)
{
	*data = file->begin;
	*size = (size_t)(file->end - file->begin);
	return DPR_OK;
}

size_t embed_held(void)
{
	return 0;
}
#endif
