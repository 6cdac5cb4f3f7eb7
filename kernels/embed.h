/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed.h - files that the build embeds in the library.
 *
 * If zlib and gzip are there, the build deflates these files and defines
 * EMBED_DEFLATED.  The first use of a file inflates it, and dpr_finalize()
 * frees the memory.  Without zlib the files are embedded as they are.
 *
 * A file of 32-bit words can be deflated in planes (kernels/planes.sh): byte 0 of
 * each word, then byte 1 of each, and so on.
 */
#ifndef KERNELS_EMBED_H
#define KERNELS_EMBED_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/status.h>

/* An embedded file.  The struct is static. */
struct embed {
	const char *name;
	const unsigned char *begin, *end; /* the bytes in the library */
	bool has_planes; /* the inflated bytes are in planes */
	/* For a deflated file that has been used: the inflated bytes and their
	   number.  `next` is the next such file. */
	unsigned char *whole;
	size_t size;
	struct embed *next;
};

#ifdef EMBED_DEFLATED
#define EMBED_ENDING ".gz"
#else
#define EMBED_ENDING ""
#endif

/* Embed the file kernels/@file of the build as `static struct embed @label`.
   The bytes are in .rodata, so they are paged in only when used.  @planes: the
   build deflates the file in planes. */
#define EMBED(label, file, planes)                                   \
	__asm__(".pushsection .rodata\n.balign 64\n" #label          \
		"_begin:\n.incbin \"kernels/" file EMBED_ENDING      \
		"\"\n" #label "_end:\n.balign 64\n.popsection\n");   \
	extern const unsigned char label##_begin[],                  \
		label##_end[] __attribute__((visibility("hidden"))); \
	static struct embed label = { .name = (file),                \
				      .begin = label##_begin,        \
				      .end = label##_end,            \
				      .has_planes = (planes) }

/*
 * Get the inflated file, which is valid until dpr_finalize().  The data is
 * aligned like memory from malloc().  Any thread may call this.  If the file is
 * deflated, the first call inflates it, and other threads wait.
 *
 * DPR_ERROR_OUT_OF_MEMORY: memory ran out.  DPR_ERROR_FILE: the bytes in the
 * library are damaged.  After an error the next call tries again.
 */
dpr_status embed_get(struct embed *file, const void **data, size_t *size);

/* For tests only: the bytes of memory that inflated files take now. */
size_t embed_held(void);

#endif
