/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_registers.h - whether a kernel in PTX reads registers that it has not
   written.  An assembler may compute wrong results then, even where the value
   is not used. */
#ifndef TESTS_PTX_REGISTERS_H
#define TESTS_PTX_REGISTERS_H

/*
 * Follow all ways through the kernel of @module.  Returns NULL if every register
 * is written before it is read.  Otherwise returns the place in @module of an
 * instruction that reads one too early, or @module itself if there is no kernel
 * or it is too large.  What an instruction under a condition writes does not
 * count.  Registers that begin with %_ belong to templates, which clang made;
 * they are not checked.
 */
const char *ptx_unwritten(const char *module);

#endif
