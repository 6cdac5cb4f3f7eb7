/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_check.c - whether a plugin's file is complete, before dlopen() maps it.
 *
 * The dynamic linker trusts the headers of a file.  It maps segments even if
 * the file ends before them, and the process dies of SIGBUS or SIGSEGV when it
 * touches these.  An interrupted installation leaves such files.
 */
#include "core/runtime/plugin/elf_check.h"

#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/files.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* The header of the file that holds this code; the linker defines the name.  A
   plugin has to be for the same machine. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

struct elf_file {
	int fd;
	uint64_t size;
	ElfW(Ehdr) header;
	ElfW(Phdr) * segments; /* an array of header.e_phnum segments */
	uint64_t n_sections;
	uint64_t wanted; /* the size of the file according to its headers */
};

/* Read @size bytes at @offset.  Returns whether they are there. */
static bool read_at(const struct elf_file *file, void *to, size_t size,
		    uint64_t offset)
{
	return offset <= file->size && size <= file->size - offset &&
	       files_read(file->fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Record that the file must have @size bytes at @offset. */
static void want_bytes(struct elf_file *file, uint64_t offset, uint64_t size)
{
	uint64_t end;

	if (__builtin_add_overflow(offset, size, &end))
		end = UINT64_MAX;
	if (end > file->wanted)
		file->wanted = end;
}

/* The checks return whether all is right.  If not, the reason is in @why. */

static bool check_header(const ElfW(Ehdr) * h, struct text *why)
{
	const ElfW(Ehdr) *own = &__ehdr_start;

	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		text_print(why, "it is not an ELF file: its first bytes are "
				"wrong");
	else if (h->e_ident[EI_CLASS] != own->e_ident[EI_CLASS])
		text_print(why,
			   "it has ELF class %u, but this program has %u (1: "
			   "32 bits, 2: 64 bits)",
			   (unsigned)h->e_ident[EI_CLASS],
			   (unsigned)own->e_ident[EI_CLASS]);
	else if (h->e_ident[EI_DATA] != own->e_ident[EI_DATA])
		text_print(why,
			   "it has ELF byte order %u, but this program has %u "
			   "(1: lowest first, 2: highest first)",
			   (unsigned)h->e_ident[EI_DATA],
			   (unsigned)own->e_ident[EI_DATA]);
	else if (h->e_machine != own->e_machine)
		text_print(why,
			   "it is for ELF machine %u, but this program is for "
			   "%u",
			   (unsigned)h->e_machine, (unsigned)own->e_machine);
	else if (h->e_ident[EI_VERSION] != EV_CURRENT ||
		 h->e_version != EV_CURRENT)
		text_print(why, "its ELF header has version %u, not 1",
			   (unsigned)h->e_version);
	else if (h->e_type != ET_DYN)
		text_print(why,
			   "it is not a shared library: it has ELF type %u",
			   (unsigned)h->e_type);
	else if (h->e_phentsize != sizeof(ElfW(Phdr)) || !h->e_phnum)
		text_print(why,
			   "its ELF header has %u program headers of %u bytes; "
			   "it must have at least one, of %zu bytes",
			   (unsigned)h->e_phnum, (unsigned)h->e_phentsize,
			   sizeof(ElfW(Phdr)));
	else if (h->e_shoff && h->e_shentsize != sizeof(ElfW(Shdr)))
		text_print(why,
			   "its ELF header has section headers of %u bytes; "
			   "they must have %zu",
			   (unsigned)h->e_shentsize, sizeof(ElfW(Shdr)));
	return !why->size && !why->failed;
}

/* Record the bytes that program headers and segments take. */
static void want_segments(struct elf_file *file)
{
	unsigned i;

	for (i = 0; i < file->header.e_phnum; i++) {
		const ElfW(Phdr) *s = &file->segments[i];

		if (s->p_type != PT_NULL)
			want_bytes(file, s->p_offset, s->p_filesz);
	}
}

/* Record the bytes that sections take.  The linker puts their headers at the
   end, so a truncated file lacks these. */
static void want_sections(struct elf_file *file)
{
	const ElfW(Ehdr) *h = &file->header;
	ElfW(Shdr) s;
	uint64_t i, size;

	if (!h->e_shoff)
		return;
	file->n_sections = h->e_shnum;
	/* A count that does not fit in e_shnum is in the first section
	   header. */
	if (!h->e_shnum && read_at(file, &s, sizeof(s), h->e_shoff))
		file->n_sections = s.sh_size;
	if (__builtin_mul_overflow(file->n_sections, sizeof(s), &size))
		size = UINT64_MAX;
	want_bytes(file, h->e_shoff, size);
	if (file->wanted > file->size)
		return;
	for (i = 0; i < file->n_sections; i++) {
		if (!read_at(file, &s, sizeof(s), h->e_shoff + i * sizeof(s)))
			break;
		if (s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL)
			want_bytes(file, s.sh_offset, s.sh_size);
	}
}

/* Check the end: a file whose end was never written has zeros there. */
static bool check_end(const struct elf_file *file, struct text *why)
{
	const ElfW(Ehdr) *h = &file->header;
	ElfW(Shdr) s = { 0 };

	if (!h->e_shoff || h->e_shstrndx == SHN_UNDEF ||
	    h->e_shstrndx == SHN_XINDEX)
		return true;
	if (h->e_shstrndx < file->n_sections &&
	    read_at(file, &s, sizeof(s),
		    h->e_shoff + h->e_shstrndx * sizeof(s)) &&
	    s.sh_type == SHT_STRTAB)
		return true;
	text_print(why,
		   "its section headers at byte %" PRIu64 " of %" PRIu64
		   " are damaged",
		   (uint64_t)h->e_shoff, file->size);
	return false;
}

/* The offset in the file of the @size bytes at address @at, or 0 if they do not
   come from the file. */
static uint64_t place_of(const struct elf_file *file, uint64_t at,
			 uint64_t size)
{
	unsigned i;

	for (i = 0; i < file->header.e_phnum; i++) {
		const ElfW(Phdr) *s = &file->segments[i];

		if (s->p_type == PT_LOAD && at >= s->p_vaddr &&
		    at - s->p_vaddr <= s->p_filesz &&
		    size <= s->p_filesz - (at - s->p_vaddr))
			return s->p_offset + (at - s->p_vaddr);
	}
	return 0;
}

/* Whether the dynamic linker can walk the table in segment @s: it has an end,
   and it, its strings and its symbols are in the file. */
static bool is_dynamic(const struct elf_file *file, const ElfW(Phdr) * s)
{
	uint64_t start = place_of(file, s->p_vaddr, s->p_filesz), at;
	uint64_t strings = 0, symbols = 0;
	ElfW(Dyn) d;

	for (at = 0; start && at + sizeof(d) <= s->p_filesz; at += sizeof(d)) {
		if (!read_at(file, &d, sizeof(d), start + at))
			return false;
		if (d.d_tag == DT_STRTAB)
			strings = d.d_un.d_ptr;
		else if (d.d_tag == DT_SYMTAB)
			symbols = d.d_un.d_ptr;
		else if (d.d_tag == DT_NULL)
			return place_of(file, strings, 1) &&
			       place_of(file, symbols, sizeof(ElfW(Sym)));
	}
	return false;
}

static bool check_dynamic(const struct elf_file *file, struct text *why)
{
	unsigned i;

	for (i = 0; i < file->header.e_phnum; i++) {
		const ElfW(Phdr) *s = &file->segments[i];

		if (s->p_type != PT_DYNAMIC)
			continue;
		if (is_dynamic(file, s))
			return true;
		text_print(why,
			   "its dynamic section at byte %" PRIu64 " of %" PRIu64
			   " is damaged",
			   (uint64_t)s->p_offset, file->size);
		return false;
	}
	text_print(why,
		   "it is not a shared library: it has no dynamic section");
	return false;
}

static bool check_file(struct elf_file *file, struct text *why)
{
	const ElfW(Ehdr) *h = &file->header;
	size_t size = h->e_phnum * sizeof(ElfW(Phdr));

	want_bytes(file, h->e_phoff, size);
	if (read_at(file, file->segments, size, h->e_phoff))
		want_segments(file);
	want_sections(file);
	if (file->wanted > file->size) {
		text_print(why,
			   "it is incomplete: it has %" PRIu64 " bytes, but "
			   "its headers require %" PRIu64,
			   file->size, file->wanted);
		return false;
	}
	return check_end(file, why) && check_dynamic(file, why);
}

dpr_status elf_check(int fd, uint64_t size, struct text *why)
{
	struct elf_file file = { .fd = fd, .size = size };

	if (size < sizeof(file.header))
		text_print(why,
			   "it has %" PRIu64 " bytes, too short for the ELF "
			   "header of %zu",
			   size, sizeof(file.header));
	else if (!read_at(&file, &file.header, sizeof(file.header), 0))
		text_print(why, "it cannot be read");
	if (why->size || why->failed || !check_header(&file.header, why))
		return why->failed ? fail_memory("loading plugins") : DPR_OK;
	file.segments = mem_array(file.header.e_phnum, sizeof(*file.segments));
	if (!file.segments)
		return fail_memory("loading plugins");
	(void)check_file(&file, why);
	mem_free(file.segments);
	return why->failed ? fail_memory("loading plugins") : DPR_OK;
}
