/* SPDX-License-Identifier: Apache-2.0 */
/* cache_file.h - one built program in a file of the cache. */
#ifndef RUNTIME_CACHE_FILE_H
#define RUNTIME_CACHE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Identifies a program: by the name of its file, and by a text with everything
   that a driver's binary depends on. */
struct cache_key {
	/* whether to keep the binary only when it is built a second time */
	bool second;
	char file[40];
	char *text;
	size_t size;
};

/* What a file of the cache holds; `log` and `binary` point into `block`. */
struct cache_entry {
	unsigned char *block;
	const char *log; /* zero-terminated */
	const unsigned char *binary;
	/* of the binary; 0: none, it is only noted that the program was
	   built */
	size_t size;
};

enum cache_state {
	CACHE_ABSENT,
	CACHE_FOUND,
	CACHE_BAD, /* it is not a file that this library wrote for this key */
	CACHE_NO_MEMORY
};

/* Read the file of @key in @dir. */
enum cache_state cache_file_read(int dir, const struct cache_key *key,
				 struct cache_entry *entry);

/* Write the file of @key, whole or not at all.  Returns its size in bytes, or 0
   with errno if it could not be written. */
uint64_t cache_file_write(int dir, const struct cache_key *key, const char *log,
			  const void *binary, size_t size);

/* How many bytes a file of @size bytes counts against the limit. */
uint64_t cache_file_cost(uint64_t size);

/* Whether @name is the name of a file of the cache, or of a draft, which is
   still being written. */
bool cache_file_is(const char *name);
bool cache_file_is_draft(const char *name);

#endif
