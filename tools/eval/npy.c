/* SPDX-License-Identifier: Apache-2.0 */
/* npy.c - reading .npy files. */
#include "tools/eval/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A longer header is refused: headers of plain arrays are far shorter. */
#define MAX_HEADER (1u << 20)

/* Read @size bytes, or fewer if the file ends.  Returns how many; -1: see
   errno. */
static ssize_t read_all(int fd, void *data, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = read(fd, (char *)data + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* Read the bytes before the header's text, which have the text's length. */
static bool read_prefix(struct npy_reader *reader, uint32_t *length,
			uint64_t *offset, struct message *message)
{
	unsigned char prefix[12];
	const char *path = reader->path;
	ssize_t n = read_all(reader->fd, prefix, 8), wide;

	if (n < 0)
		return message_set(message, "%s: cannot read: %s", path,
				   strerror(errno));
	if (n == 0)
		return message_set(message, "%s: is empty", path);
	if (n >= 4 &&
	    (!memcmp(prefix, "PK\3\4", 4) || !memcmp(prefix, "PK\5\6", 4)))
		return message_set(message,
				   "%s: is a zip archive, as .npz files are: "
				   "of .npy files, one for each array; unzip "
				   "it and give those",
				   path);
	if (memcmp(prefix, "\x93NUMPY", n < 6 ? (size_t)n : 6))
		return message_set(message,
				   "%s: not a .npy file (bad magic number)",
				   path);
	if (n < 8)
		return message_set(message,
				   "%s: cut short: %zd bytes, not even "
				   "a header",
				   path, n);
	if (prefix[6] < 1 || prefix[6] > 3 || prefix[7] != 0)
		return message_set(message,
				   "%s: unknown .npy version %u.%u "
				   "(1.0, 2.0 and 3.0 can be read)",
				   path, prefix[6], prefix[7]);
	wide = prefix[6] == 1 ? 2 : 4;
	if (read_all(reader->fd, prefix + 8, (size_t)wide) != wide)
		return message_set(message, "%s: cut short within the header",
				   path);
	*length = prefix[8] | (uint32_t)prefix[9] << 8;
	if (wide == 4)
		*length |= (uint32_t)prefix[10] << 16 | (uint32_t)prefix[11]
								<< 24;
	if (*length > MAX_HEADER)
		return message_set(message,
				   "%s: bad header: it claims to be "
				   "%u bytes long",
				   path, *length);
	*offset = 8 + (uint64_t)wide + *length;
	return true;
}

/* Check that a regular file has the elements after the header and nothing
   else. */
static bool check_size(struct npy_reader *reader, uint64_t file_size,
		       uint64_t offset, struct message *message)
{
	uint64_t expected = reader->header.bytes;
	uint64_t found = file_size > offset ? file_size - offset : 0;

	if (found < expected)
		return message_set(message,
				   "%s: cut short: %llu bytes of "
				   "elements expected, %llu found",
				   reader->path, (unsigned long long)expected,
				   (unsigned long long)found);
	if (found > expected)
		return message_set(message,
				   "%s: %llu bytes follow the "
				   "array's %llu: the file is damaged "
				   "or holds more than one array",
				   reader->path,
				   (unsigned long long)(found - expected),
				   (unsigned long long)expected);
	return true;
}

static bool read_header(struct npy_reader *reader, struct message *message)
{
	struct stat st;
	uint32_t length;
	uint64_t offset;
	char *text;
	bool ok;

	if (fstat(reader->fd, &st) < 0)
		return message_set(message, "%s: cannot read: %s", reader->path,
				   strerror(errno));
	if (S_ISDIR(st.st_mode))
		return message_set(message, "%s: is a directory", reader->path);
	if (!read_prefix(reader, &length, &offset, message))
		return false;
	text = malloc(length + 1);
	if (!text)
		return message_set(message, "%s: out of memory", reader->path);
	if (read_all(reader->fd, text, length) != (ssize_t)length) {
		free(text);
		return message_set(message, "%s: cut short within the header",
				   reader->path);
	}
	ok = npy_header_parse(text, length, &reader->header, message);
	free(text);
	if (!ok)
		return message_set(message, "%s: %s", reader->path,
				   message_text(message));
	reader->left = reader->header.bytes;
	return !S_ISREG(st.st_mode) ||
	       check_size(reader, (uint64_t)st.st_size, offset, message);
}

bool npy_open(struct npy_reader *reader, const char *path,
	      struct message *message)
{
	memset(reader, 0, sizeof(*reader));
	reader->path = path;
	reader->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (reader->fd < 0)
		return message_set(message, "%s: cannot open: %s", path,
				   strerror(errno));
	if (read_header(reader, message))
		return true;
	npy_close(reader);
	return false;
}

bool npy_read(struct npy_reader *reader, void *data, size_t size,
	      struct message *message)
{
	ssize_t n = read_all(reader->fd, data, size);

	if (n < 0)
		return message_set(message, "%s: cannot read: %s", reader->path,
				   strerror(errno));
	reader->left -= (uint64_t)n;
	if ((size_t)n < size) {
		uint64_t expected = reader->header.bytes;

		return message_set(
			message,
			"%s: cut short: %llu bytes of "
			"elements expected, %llu found",
			reader->path, (unsigned long long)expected,
			(unsigned long long)(expected - reader->left));
	}
	npy_header_convert(data, size, reader->header.dtype,
			   reader->header.swap);
	return true;
}

bool npy_read_end(struct npy_reader *reader, struct message *message)
{
	char byte;

	if (read_all(reader->fd, &byte, 1) <= 0)
		return true;
	return message_set(message,
			   "%s: more bytes follow the array's %llu: "
			   "the file is damaged or holds more than "
			   "one array",
			   reader->path,
			   (unsigned long long)reader->header.bytes);
}

void npy_close(struct npy_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
}
