/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - the place in an expression's text where something is wrong. */
#ifndef ARRAY_PLACE_H
#define ARRAY_PLACE_H

#include <stddef.h>

#include "core/base/status.h"

/* A part of the text: its start, counted from 0, and its length, in bytes. */
struct place {
	size_t column, length;
};

#define PLACE_NOWHERE ((size_t)-1)

static inline void place_set(struct place *place, size_t column, size_t length)
{
	place->column = column;
	place->length = length;
}

/* Set @place, and fail(). */
#define fail_at(place, column, length, ...) \
	(place_set((place), (column), (length)), fail(__VA_ARGS__))

#endif
