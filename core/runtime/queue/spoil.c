/* SPDX-License-Identifier: Apache-2.0 */
/* spoil.c - which submissions of a queue left no valid results. */
#include "core/runtime/queue/spoil.h"

#include <stdlib.h>
#include <string.h>

/* The most spans that are kept.  Beyond that, two neighbours become one span,
   which covers the gap between them, too. */
#define MOST_SPANS 1024

void spoil_fini(struct spoil *spoil)
{
	size_t i;

	for (i = 0; i < spoil->count; i++)
		failure_release(spoil->list[i].cause);
	small_list_fini(spoil);
	failure_release(spoil->heard);
	spoil->heard = NULL;
}

/* The number of the first span that ends at @ticket or later. */
static size_t find_span(const struct spoil *spoil, uint64_t ticket)
{
	size_t low = 0, high = spoil->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (spoil->list[middle].last < ticket)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first span that overlaps tickets @first to @last, or NULL. */
static const struct spoil_span *find_overlap(const struct spoil *spoil,
					     uint64_t first, uint64_t last)
{
	size_t i = find_span(spoil, first);

	return i < spoil->count && spoil->list[i].first <= last
		       ? &spoil->list[i]
		       : NULL;
}

/* Make room for one more span.  Returns false if memory runs out or there are
   too many spans. */
static bool reserve_span(struct spoil *spoil)
{
	return spoil->count < MOST_SPANS && small_list_reserve(spoil, 1);
}

/* Join the two neighbours with the smallest gap, to make room for one more.
   Returns the new number of span @i. */
static size_t join_closest(struct spoil *spoil, size_t i)
{
	struct spoil_span *spans = spoil->list;
	size_t k, at = 0;

	for (k = 1; k + 1 < spoil->count; k++)
		if (spans[k + 1].first - spans[k].last <
		    spans[at + 1].first - spans[at].last)
			at = k;
	spans[at].last = spans[at + 1].last;
	failure_release(spans[at + 1].cause);
	spoil->count--;
	memmove(spans + at + 1, spans + at + 2,
		(spoil->count - at - 1) * sizeof(*spans));
	return i > at ? i - 1 : i;
}

/* Insert a span before number @i; it overlaps no other span.  Returns the
   number of the next span. */
static size_t insert_span(struct spoil *spoil, size_t i, uint64_t first,
			  uint64_t last, struct failure *cause)
{
	if (i && spoil->list[i - 1].last + 1 == first &&
	    spoil->list[i - 1].cause == cause) {
		spoil->list[i - 1].last = last;
		return i;
	}
	if (!reserve_span(spoil)) {
		i = join_closest(spoil, i);
		/* The joined span may cover the new one. */
		if (i < spoil->count && spoil->list[i].first <= first)
			return i;
	}
	memmove(spoil->list + i + 1, spoil->list + i,
		(spoil->count - i) * sizeof(*spoil->list));
	spoil->list[i] =
		(struct spoil_span){ first, last, failure_retain(cause) };
	spoil->count++;
	return i + 1;
}

/* Spoil tickets @first to @last, except those that are spoiled already. */
static void add_span(struct spoil *spoil, uint64_t first, uint64_t last,
		     struct failure *cause)
{
	size_t i = find_span(spoil, first);

	while (first <= last) {
		uint64_t end = last;

		if (i < spoil->count && spoil->list[i].first <= first) {
			first = spoil->list[i].last + 1;
			i++;
			continue;
		}
		if (i < spoil->count && spoil->list[i].first <= last)
			end = spoil->list[i].first - 1;
		i = insert_span(spoil, i, first, end, cause);
		first = end + 1;
	}
	atomic_store_explicit(&spoil->any, true, memory_order_release);
}

/* The number of the oldest edge that is kept. */
static uint64_t oldest_edge(const struct spoil *spoil)
{
	return spoil->n_edges > SPOIL_EDGES ? spoil->n_edges - SPOIL_EDGES : 0;
}

/* The last ticket whose edges may be lost, or 0. */
static uint64_t lost_edges(const struct spoil *spoil)
{
	return spoil->n_edges > SPOIL_EDGES
		       ? spoil->edges[oldest_edge(spoil) % SPOIL_EDGES].ticket
		       : 0;
}

/* Spoil the submissions that used spoiled results.  Edges are in the order of
   tickets, and each leads to earlier ones, so one pass is enough. */
static void spread_spans(struct spoil *spoil)
{
	uint64_t i;

	for (i = oldest_edge(spoil); i < spoil->n_edges; i++) {
		const struct spoil_edge *edge = &spoil->edges[i % SPOIL_EDGES];
		const struct spoil_span *span =
			find_overlap(spoil, edge->first, edge->last);

		if (span)
			add_span(spoil, edge->ticket, edge->ticket,
				 span->cause);
	}
}

void spoil_enter(struct spoil *spoil, uint64_t ticket, const struct use *use)
{
	const struct spoil_span *span;

	spoil->edges[spoil->n_edges++ % SPOIL_EDGES] =
		(struct spoil_edge){ ticket, use->first, use->last };
	spoil->raw |= (use->access & USE_RAW) != 0;
	if (!spoil->count)
		return;
	/* A failure may have become known since the submission's uses were
	   checked. */
	span = find_overlap(spoil, use->first, use->last);
	if (span)
		add_span(spoil, ticket, ticket, span->cause);
}

void spoil_proved(struct spoil *spoil, uint64_t ticket)
{
	if (ticket > atomic_load_explicit(&spoil->sound, memory_order_relaxed))
		spoil->proved[spoil->n_proved++ % SPOIL_PROVED] = ticket;
}

void spoil_ticket(struct spoil *spoil, bool in_order, uint64_t ticket,
		  struct failure *cause)
{
	uint64_t lost = in_order || spoil->raw ? lost_edges(spoil) : 0;

	/* Out of order, a submission that uses these results depends on this
	   submission, and fails with it.  Uses through plain pointers are an
	   exception. */
	add_span(spoil, ticket, lost > ticket ? lost : ticket, cause);
	spread_spans(spoil);
}

static int compare_tickets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void spoil_unproved(struct spoil *spoil, uint64_t last, struct failure *cause)
{
	uint64_t at =
		atomic_load_explicit(&spoil->sound, memory_order_relaxed) + 1;
	uint64_t proved[SPOIL_PROVED], lost = lost_edges(spoil);
	size_t n = spoil->n_proved < SPOIL_PROVED ? (size_t)spoil->n_proved
						  : SPOIL_PROVED;
	size_t i;

	memcpy(proved, spoil->proved, n * sizeof(proved[0]));
	qsort(proved, n, sizeof(proved[0]), compare_tickets);
	for (i = 0; i < n; i++) {
		/* Skip a ticket that is out of range, or whose edges may be
		   lost: it may have used spoiled results. */
		if (proved[i] < at || proved[i] > last || proved[i] <= lost)
			continue;
		if (proved[i] > at)
			add_span(spoil, at, proved[i] - 1, cause);
		at = proved[i] + 1;
	}
	if (at <= last)
		add_span(spoil, at, last, cause);
	spread_spans(spoil);
}

void spoil_sound(struct spoil *spoil, uint64_t ticket)
{
	uint64_t n =
		spoil->n_proved < SPOIL_PROVED ? spoil->n_proved : SPOIL_PROVED;
	uint64_t i;

	if (ticket <= atomic_load_explicit(&spoil->sound, memory_order_relaxed))
		return;
	atomic_store_explicit(&spoil->sound, ticket, memory_order_release);
	spoil->n_proved = 0;
	for (i = 0; i < n; i++)
		spoil_proved(spoil, spoil->proved[i]);
}

void spoil_heard(struct spoil *spoil, struct failure *cause)
{
	failure_release(spoil->heard);
	spoil->heard = failure_retain(cause);
}

struct failure *spoil_told(const struct spoil *spoil, uint64_t ticket)
{
	const struct spoil_span *span;

	if (ticket > atomic_load_explicit(&spoil->sound, memory_order_relaxed))
		return NULL;
	span = find_overlap(spoil, ticket, ticket);
	return span ? span->cause : NULL;
}

struct failure *spoil_cause(const struct spoil *spoil, uint64_t first,
			    uint64_t last)
{
	const struct spoil_span *span = find_overlap(spoil, first, last);

	return span ? span->cause : NULL;
}
