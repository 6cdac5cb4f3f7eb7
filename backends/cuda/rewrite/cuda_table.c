/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_table.c - the kernels of a module, and "cuda-binary". */
#include "cuda_table.h"

#include <elf.h>
#include <string.h>

#define VERSION 1
#define LOCALS 1u
#define KNOWN 1u
#define CERTAIN 2u
#define CUDA_MACHINE 190 /* EM_CUDA */

/* The head of a binary.  Numbers have the byte order of this machine, because a
   binary is used on no other.  The table follows, then the code. */
struct cuda_table_head {
	char magic[8];
	uint32_t version, flags;
	uint32_t major, minor;
	uint32_t n_kernels, reserved;
	uint64_t table_size, code_size;
	uint64_t check; /* of everything else */
};

static const char magic[8] = { 'd', 'p', 'r', 'c', 'u', 'b', 'i', 'n' };

/* The head of a kernel in the table; the name and the parameters follow. */
struct cuda_table_entry {
	uint32_t name_size, flags, n_params, reserved;
	uint64_t required[3];
};

struct cuda_table_kernel *cuda_table_find(const struct cuda_table *table,
					  const char *name, size_t size)
{
	uint32_t i;

	for (i = 0; i < table->n; i++)
		if (strlen(table->list[i].name) == size &&
		    memcmp(table->list[i].name, name, size) == 0)
			return &table->list[i];
	return NULL;
}

struct cuda_table_kernel *cuda_table_add(struct cuda_table *table,
					 const char *name, size_t size)
{
	const uint32_t room = table->room ? table->room * 2 : 8;
	struct cuda_table_kernel *kernel, *list;

	if (table->n == table->room) {
		list = cuda_strings_get(&table->strings, room * sizeof(*list));
		if (!list)
			return NULL;
		if (table->n)
			memcpy(list, table->list, table->n * sizeof(*list));
		table->list = list;
		table->room = room;
	}
	kernel = &table->list[table->n];
	memset(kernel, 0, sizeof(*kernel));
	kernel->name = cuda_strings_copy(&table->strings, name, size);
	if (table->strings.failed)
		return NULL;
	table->n++;
	return kernel;
}

bool cuda_table_params(struct cuda_table *table,
		       struct cuda_table_kernel *kernel,
		       const dprp_param *params, uint32_t n)
{
	kernel->params =
		cuda_strings_get(&table->strings, n ? n * sizeof(*params) : 1);
	if (!kernel->params)
		return false;
	if (n)
		memcpy(kernel->params, params, n * sizeof(*params));
	kernel->n_params = n;
	kernel->known = true;
	return true;
}

void cuda_table_free(struct cuda_table *table)
{
	cuda_strings_free(&table->strings);
	table->list = NULL;
	table->n = table->room = 0;
}

/* --- The binary ----------------------------------------------------------- */

/* FNV-1a over words of 8 bytes, then over the rest. */
static uint64_t check_of(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0xcbf29ce484222325u, word;

	for (; size >= 8; at += 8, size -= 8) {
		memcpy(&word, at, 8);
		hash = (hash ^ word) * 0x100000001b3u;
		hash ^= hash >> 29;
	}
	while (size--)
		hash = (hash ^ *at++) * 0x100000001b3u;
	return hash;
}

/* The checksum of a binary: of its head up to the checksum, and of the rest. */
static uint64_t check_all(const struct cuda_table_head *head, const void *rest,
			  size_t size)
{
	const uint64_t parts[2] = {
		check_of(head, offsetof(struct cuda_table_head, check)),
		check_of(rest, size)
	};

	return check_of(parts, sizeof(parts));
}

void cuda_table_write(const struct cuda_table *table,
		      const struct cuda_binary *binary, struct cuda_text *out)
{
	struct cuda_table_head head = { .version = VERSION };
	const size_t start = out->size;
	uint32_t i;

	memcpy(head.magic, magic, sizeof(magic));
	head.flags = table->locals ? LOCALS : 0;
	head.major = (uint32_t)binary->major;
	head.minor = (uint32_t)binary->minor;
	head.n_kernels = table->n;
	head.code_size = binary->size;
	cuda_text_add(out, (const char *)&head, sizeof(head));
	for (i = 0; i < table->n; i++) {
		const struct cuda_table_kernel *kernel = &table->list[i];
		struct cuda_table_entry entry = { 0 };

		entry.name_size = (uint32_t)strlen(kernel->name);
		entry.flags = (kernel->known ? KNOWN : 0) |
			      (kernel->certain ? CERTAIN : 0);
		entry.n_params = kernel->n_params;
		memcpy(entry.required, kernel->required,
		       sizeof(entry.required));
		cuda_text_add(out, (const char *)&entry, sizeof(entry));
		cuda_text_add(out, kernel->name, entry.name_size);
		cuda_text_add(out, (const char *)kernel->params,
			      kernel->n_params * sizeof(*kernel->params));
	}
	head.table_size = out->size - start - sizeof(head);
	cuda_text_add(out, binary->code, binary->size);
	if (out->failed)
		return;
	head.check = check_all(&head, out->bytes + start + sizeof(head),
			       out->size - start - sizeof(head));
	memcpy(out->bytes + start, &head, sizeof(head));
}

struct cuda_table_reader {
	const char *at;
	size_t left;
};

/* Take @size bytes; NULL if there are fewer. */
static const char *take(struct cuda_table_reader *reader, size_t size)
{
	const char *at = reader->at;

	if (size > reader->left)
		return NULL;
	reader->at += size;
	reader->left -= size;
	return at;
}

static bool read_kernel(struct cuda_table *table,
			struct cuda_table_reader *reader)
{
	struct cuda_table_kernel *kernel;
	struct cuda_table_entry entry;
	const char *bytes = take(reader, sizeof(entry)), *name;
	dprp_param param;
	uint32_t i;

	if (!bytes)
		return false;
	memcpy(&entry, bytes, sizeof(entry));
	name = take(reader, entry.name_size);
	if (!name || !entry.name_size || memchr(name, 0, entry.name_size) ||
	    entry.n_params > CUDA_TABLE_PARAMS ||
	    entry.flags & ~(KNOWN | CERTAIN) || entry.reserved ||
	    cuda_table_find(table, name, entry.name_size))
		return false;
	bytes = take(reader, entry.n_params * sizeof(param));
	if (!bytes)
		return false;
	kernel = cuda_table_add(table, name, entry.name_size);
	if (!kernel)
		return false;
	memcpy(kernel->required, entry.required, sizeof(entry.required));
	for (i = 0; i < 3; i++)
		if (kernel->required[i] > 1024 ||
		    !kernel->required[i] != !kernel->required[0])
			return false;
	if (!cuda_table_params(table, kernel, NULL, 0))
		return false;
	kernel->known = entry.flags & KNOWN;
	kernel->certain = entry.flags & CERTAIN;
	if (!entry.n_params)
		return true;
	kernel->params = cuda_strings_get(&table->strings,
					  entry.n_params * sizeof(param));
	if (!kernel->params)
		return false;
	memcpy(kernel->params, bytes, entry.n_params * sizeof(param));
	kernel->n_params = entry.n_params;
	for (i = 0; i < entry.n_params; i++)
		if (kernel->params[i].kind > DPRP_ARG_LOCAL ||
		    kernel->params[i].reserved ||
		    kernel->params[i].size > CUDA_TABLE_PARAMS)
			return false;
	return true;
}

const char *cuda_table_read(struct cuda_table *table, const void *bytes,
			    size_t size, struct cuda_binary *binary)
{
	struct cuda_table_reader reader = { bytes, size };
	const char *start = take(&reader, sizeof(struct cuda_table_head));
	struct cuda_table_head head;
	uint32_t i;

	if (!start)
		return "it is too short";
	memcpy(&head, start, sizeof(head));
	if (memcmp(head.magic, magic, sizeof(magic)) != 0)
		return "it was not made by this backend";
	if (head.version != VERSION || head.flags & ~LOCALS || head.reserved)
		return "it was made by another version of the backend";
	if (head.table_size > reader.left ||
	    head.code_size != reader.left - head.table_size)
		return "its sizes are wrong";
	if (head.major > 1000 || head.minor > 1000)
		return "its compute capability is wrong";
	if (check_all(&head, reader.at, reader.left) != head.check)
		return "its checksum is wrong";
	table->locals = head.flags & LOCALS;
	binary->major = (int)head.major;
	binary->minor = (int)head.minor;
	binary->code = reader.at + head.table_size;
	binary->size = (size_t)head.code_size;
	reader.left = (size_t)head.table_size;
	for (i = 0; i < head.n_kernels; i++)
		if (!read_kernel(table, &reader))
			return "its table of kernels is wrong";
	if (reader.left)
		return "its table of kernels is too long";
	return cuda_table_is_cubin(binary->code, binary->size)
		       ? NULL
		       : "its code is not a cubin";
}

static bool inside(uint64_t at, uint64_t n, uint64_t each, size_t size)
{
	uint64_t bytes, end;

	return !__builtin_mul_overflow(n, each, &bytes) &&
	       !__builtin_add_overflow(at, bytes, &end) && end <= size;
}

bool cuda_table_is_cubin(const void *bytes, size_t size)
{
	const char *at = bytes;
	Elf64_Ehdr head;
	Elf64_Shdr section;
	Elf64_Phdr segment;
	size_t i;

	if (size < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_machine != CUDA_MACHINE ||
	    (head.e_shnum && head.e_shentsize != sizeof(section)) ||
	    (head.e_phnum && head.e_phentsize != sizeof(segment)) ||
	    !inside(head.e_shoff, head.e_shnum, sizeof(section), size) ||
	    !inside(head.e_phoff, head.e_phnum, sizeof(segment), size) ||
	    (head.e_shnum && head.e_shstrndx >= head.e_shnum))
		return false;
	for (i = 0; i < head.e_shnum; i++) {
		memcpy(&section, at + head.e_shoff + i * sizeof(section),
		       sizeof(section));
		if (section.sh_type != SHT_NOBITS &&
		    !inside(section.sh_offset, 1, section.sh_size, size))
			return false;
	}
	for (i = 0; i < head.e_phnum; i++) {
		memcpy(&segment, at + head.e_phoff + i * sizeof(segment),
		       sizeof(segment));
		if (!inside(segment.p_offset, 1, segment.p_filesz, size))
			return false;
	}
	return true;
}
