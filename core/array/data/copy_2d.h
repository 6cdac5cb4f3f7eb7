/* SPDX-License-Identifier: Apache-2.0 */
/* copy_2d.h - copies along one or two axes of host memory, and copies of single
   elements. */
#ifndef ARRAY_COPY_2D_H
#define ARRAY_COPY_2D_H

#include <stddef.h>
#include <stdint.h>

/* The two axes of a copy: rows, and columns in a row.  Steps are in bytes, and
   may be negative. */
struct plane {
	int64_t rows, columns;
	int64_t to_row, to_column;
	int64_t from_row, from_column;
};

/* Copy the plane's elements, of 1, 2, 4, 8 or 16 bytes each.  Elements need not
   be aligned.  Reads nothing before the first or after the last element of a
   row, and writes only the elements. */
void copy_2d(const struct plane *plane, size_t item, char *to,
	     const char *from);

#define PLACES_MOST 512

/* Positions of elements, in bytes from the first element of each side. */
struct places {
	int n;
	int64_t to[PLACES_MOST], from[PLACES_MOST];
};

/* Copy the elements at @places.  @item: as for copy_2d(). */
void copy_2d_places(const struct places *places, size_t item, char *to,
		    const char *from);

#endif
