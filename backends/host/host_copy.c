/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_copy.c - copies of more bytes than the caches hold.
 *
 * An ordinary store first reads the target's line into the cache, which is a
 * third of all that a copy moves.  Stores that bypass the caches do not.  The C
 * library uses such stores too, but only in calls of about a hundred megabytes,
 * and the team's pieces are smaller.
 */
#include "host.h"

#include <string.h>

#if defined(__SSE2__)

#include <emmintrin.h>

#define PAGE 4096u
#define LINE 64u
/* The number of pages that are copied at the same time: memory is faster with
   several streams than with one. */
#define PAGES 4u

static inline void stream_line(unsigned char *to, const unsigned char *from)
{
	const __m128i *s = (const __m128i *)(const void *)from;
	__m128i *d = (__m128i *)(void *)to;
	__m128i a = _mm_loadu_si128(s), b = _mm_loadu_si128(s + 1);
	__m128i c = _mm_loadu_si128(s + 2), e = _mm_loadu_si128(s + 3);

	_mm_stream_si128(d, a);
	_mm_stream_si128(d + 1, b);
	_mm_stream_si128(d + 2, c);
	_mm_stream_si128(d + 3, e);
}

void host_copy_stream(unsigned char *to, const unsigned char *from, size_t size)
{
	size_t head = -(uintptr_t)to & (LINE - 1), at, line, page;

	if (size < head + LINE) {
		memcpy(to, from, size);
		return;
	}
	memcpy(to, from, head);
	for (at = head; size - at >= PAGES * PAGE; at += PAGES * PAGE)
		for (line = 0; line < PAGE; line += LINE)
			for (page = 0; page < PAGES; page++)
				stream_line(to + at + page * PAGE + line,
					    from + at + page * PAGE + line);
	for (; size - at >= LINE; at += LINE)
		stream_line(to + at, from + at);
	memcpy(to + at, from + at, size - at);
	/* Without a fence, the later store that reports the end of the work
	   could become visible before these stores. */
	_mm_sfence();
}

#else

void host_copy_stream(unsigned char *to, const unsigned char *from, size_t size)
{
	memcpy(to, from, size);
}

#endif
