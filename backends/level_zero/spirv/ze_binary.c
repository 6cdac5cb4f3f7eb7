/* SPDX-License-Identifier: Apache-2.0 */
/* ze_binary.c - "level_zero-binary": an outline of the SPIR-V, then the
   driver's binary. */
#include "ze_binary.h"

#include <string.h>

#define VERSION 1
#define KNOWN_FLAGS ((uint64_t)(DPRP_BUILD_ROUNDED | DPRP_BUILD_LARGE))

/* The head of a binary.  Numbers have the byte order of this machine, because a
   binary is used on no other.  The outline follows, then the code. */
struct ze_binary_head {
	char magic[8];
	uint32_t version, reserved;
	uint64_t flags;
	uint64_t outline_size, code_size;
	uint64_t check; /* of everything else */
};

static const char magic[8] = { 'd', 'p', 'r', 'z', 'e', 'b', 'i', 'n' };

/* FNV-1a over words of 8 bytes, then over the rest; continues from @hash. */
static uint64_t check_of(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t word;

	for (; size >= 8; at += 8, size -= 8) {
		memcpy(&word, at, 8);
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
		hash ^= hash >> 29;
	}
	while (size--)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t check_all(const struct ze_binary_head *head,
			  const void *outline, const void *code)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	hash = check_of(hash, head, offsetof(struct ze_binary_head, check));
	hash = check_of(hash, outline, (size_t)head->outline_size);
	return check_of(hash, code, (size_t)head->code_size);
}

void ze_binary_write(const struct ze_binary *binary, dprp_sink out)
{
	struct ze_binary_head head = { .version = VERSION,
				       .flags = binary->flags,
				       .outline_size = binary->outline_size,
				       .code_size = binary->code_size };

	memcpy(head.magic, magic, sizeof(magic));
	head.check = check_all(&head, binary->outline, binary->code);
	out.write(out.user, (const char *)&head, sizeof(head));
	if (binary->outline_size)
		out.write(out.user, binary->outline, binary->outline_size);
	out.write(out.user, binary->code, binary->code_size);
}

const char *ze_binary_read(struct ze_binary *binary, const void *bytes,
			   size_t size)
{
	struct ze_binary_head head;
	uint64_t left;

	if (size < sizeof(head))
		return "is too short";
	memcpy(&head, bytes, sizeof(head));
	left = size - sizeof(head);
	if (memcmp(head.magic, magic, sizeof(magic)) != 0)
		return "was not made by this backend";
	if (head.version != VERSION || head.reserved ||
	    head.flags & ~KNOWN_FLAGS)
		return "was made by another version of the backend";
	if (head.outline_size > left ||
	    head.code_size != left - head.outline_size || !head.code_size)
		return "does not have the sizes that its head says";
	binary->flags = head.flags;
	binary->outline = (const char *)bytes + sizeof(head);
	binary->outline_size = (size_t)head.outline_size;
	binary->code = (const char *)binary->outline + binary->outline_size;
	binary->code_size = (size_t)head.code_size;
	return check_all(&head, binary->outline, binary->code) == head.check
		       ? NULL
		       : "has a wrong checksum";
}
