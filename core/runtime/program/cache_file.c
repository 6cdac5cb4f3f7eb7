/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache_file.c - one built program in a file.
 *
 * A file holds a head, the key, the build log with its zero byte, and the
 * binary.  The head has the sizes, and a hash of everything except itself, so
 * that a file that was cut, changed or written for another key is not used.
 * Numbers are in this machine's byte order: with another byte order the magic
 * does not match.
 */
#include "core/runtime/program/cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/base/files.h"

#define MAGIC UINT64_C(0x6568636163727064) /* "dprcache" */
#define VERSION 1
#define MAX_FILE (UINT64_C(1) << 30)
#define BLOCK 4096

#define NAME_DIGITS 32
#define NAME_END ".bin"
#define DRAFT "draft-"

struct cache_head {
	uint64_t magic;
	uint32_t version, reserved;
	uint64_t key, log, binary; /* sizes in bytes */
	unsigned char hash[HASH_SIZE];
};

static void hash_of(const struct cache_head *head, const void *key,
		    const void *log, const void *binary,
		    unsigned char out[HASH_SIZE])
{
	struct hash hash;

	hash_start(&hash);
	hash_add(&hash, head, offsetof(struct cache_head, hash));
	hash_add(&hash, key, head->key);
	hash_add(&hash, log, head->log);
	hash_add(&hash, binary, head->binary);
	hash_end(&hash, out);
}

uint64_t cache_file_cost(uint64_t size)
{
	return (size + BLOCK - 1) / BLOCK * BLOCK;
}

bool cache_file_is(const char *name)
{
	return strspn(name, "0123456789abcdef") == NAME_DIGITS &&
	       !strcmp(name + NAME_DIGITS, NAME_END);
}

bool cache_file_is_draft(const char *name)
{
	return !strncmp(name, DRAFT, strlen(DRAFT));
}

/* Whether @size bytes are a valid file for @key; if so, fills @entry. */
static bool parse_file(unsigned char *block, uint64_t size,
		       const struct cache_key *key, struct cache_entry *entry)
{
	unsigned char hash[HASH_SIZE];
	const unsigned char *at = block + sizeof(struct cache_head);
	struct cache_head head;
	uint64_t rest;

	memcpy(&head, block, sizeof(head));
	rest = size - sizeof(head);
	if (head.magic != MAGIC || head.version != VERSION ||
	    head.key != key->size || head.key > rest)
		return false;
	rest -= head.key;
	if (!head.log || head.log > rest || head.binary != rest - head.log)
		return false;
	hash_of(&head, at, at + head.key, at + head.key + head.log, hash);
	if (memcmp(hash, head.hash, sizeof(hash)) ||
	    memcmp(at, key->text, key->size) || at[head.key + head.log - 1])
		return false;
	entry->block = block;
	entry->log = (const char *)at + head.key;
	entry->binary = at + head.key + head.log;
	entry->size = head.binary;
	return true;
}

static enum cache_state read_file(int file, const struct cache_key *key,
				  struct cache_entry *entry)
{
	unsigned char *block;
	struct stat st;

	if (fstat(file, &st) || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)) ||
	    st.st_size < (off_t)sizeof(struct cache_head) ||
	    (uint64_t)st.st_size > MAX_FILE)
		return CACHE_BAD;
	block = mem_alloc((size_t)st.st_size);
	if (!block)
		return CACHE_NO_MEMORY;
	if (files_read(file, block, (size_t)st.st_size, 0) != st.st_size ||
	    !parse_file(block, (uint64_t)st.st_size, key, entry)) {
		mem_free(block);
		return CACHE_BAD;
	}
	/* The file's time tells when it was last used. */
	(void)futimens(file, NULL);
	return CACHE_FOUND;
}

enum cache_state cache_file_read(int dir, const struct cache_key *key,
				 struct cache_entry *entry)
{
	enum cache_state state;
	int file;

	memset(entry, 0, sizeof(*entry));
	/* O_NONBLOCK: if it is a pipe, do not wait for a writer. */
	file = openat(dir, key->file,
		      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return errno == ENOENT ? CACHE_ABSENT : CACHE_BAD;
	state = read_file(file, key, entry);
	close(file);
	return state;
}

/* Open a new file with a name that no other thread or process uses. */
static int open_draft(int dir, char *name, size_t size)
{
	static atomic_uint number;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, size, DRAFT "%ld-%u-%lx%08lx", (long)getpid(),
		 atomic_fetch_add(&number, 1), (unsigned long)now.tv_sec,
		 (unsigned long)now.tv_nsec);
	return openat(dir, name,
		      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      0600);
}

uint64_t cache_file_write(int dir, const struct cache_key *key, const char *log,
			  const void *binary, size_t size)
{
	struct cache_head head = { .magic = MAGIC,
				   .version = VERSION,
				   .key = key->size,
				   .log = strlen(log) + 1,
				   .binary = size };
	const struct {
		const void *bytes;
		size_t size;
	} parts[] = { { &head, sizeof(head) },
		      { key->text, key->size },
		      { log, head.log },
		      { binary, size } };
	int file, error = 0;
	char draft[96];
	size_t i;

	hash_of(&head, key->text, log, binary, head.hash);
	file = open_draft(dir, draft, sizeof(draft));
	if (file < 0)
		return 0;
	for (i = 0; i < sizeof(parts) / sizeof(*parts) && !error; i++)
		error = files_write(file, parts[i].bytes, parts[i].size,
				    FILES_HERE);
	/* Some file systems report only now that they are full. */
	if (close(file) && !error)
		error = errno;
	if (!error && renameat(dir, draft, dir, key->file))
		error = errno;
	if (!error)
		return sizeof(head) + head.key + head.log + size;
	(void)unlinkat(dir, draft, 0);
	errno = error;
	return 0;
}
