/* SPDX-License-Identifier: Apache-2.0 */
/* one_read.h - what texts call so that a reduction reads its operand once. */
#ifndef ARRAY_ONE_READ_H
#define ARRAY_ONE_READ_H

#include "core/array/expression/builtins.h"

/* A part of the list that inner_find() searches. */
extern const struct function one_read_parts[];
extern const size_t one_read_count;

#endif
