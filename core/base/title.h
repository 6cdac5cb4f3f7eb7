/* SPDX-License-Identifier: Apache-2.0 */
/*
 * title.h - what the work that a thread submits is called, instead of by its
 * kernel: kernels of array functions have names that no user knows.
 */
#ifndef BASE_TITLE_H
#define BASE_TITLE_H

#include <stdbool.h>

/* Call this thread's launches @name, which is borrowed until title_end().  The
   outermost title stays: returns whether this one is used. */
bool title_begin(const char *name);

/* @began: what title_begin() returned. */
void title_end(bool began);

/* The title, or without one @name. */
const char *title_or(const char *name);

#endif
