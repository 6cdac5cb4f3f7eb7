/* SPDX-License-Identifier: Apache-2.0 */
/* emit_ptx.h - kernels as PTX, made of the templates of kernels/templates.h. */
#ifndef ARRAY_EMIT_PTX_H
#define ARRAY_EMIT_PTX_H

#include "core/array/engine/frame.h"
#include "core/base/text.h"

/* Whether this build has templates.  Without templates no kernel can be
   written. */
bool emit_ptx_is_there(void);

/*
 * Write a module with the kernel @name of @graph and @frame, for a GPU.  Groups
 * have FRAME_GROUP work-items.  A work-item takes frame_pack() elements in
 * FRAME_FLAT and FRAME_ROWS, and one element in FRAME_STRIDED.  In FRAME_TILE a
 * group takes a square.  The kernel's last parameter is the words of frame.h,
 * as bytes.  Returns false if memory runs out; then @out->failed is set.  Also
 * returns false if a step has no template.
 */
bool emit_ptx_kernel(const struct graph *graph, const struct frame *frame,
		     const char *name, struct text *out);

#endif
