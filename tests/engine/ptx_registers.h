/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_registers.h - whether a kernel in PTX reads registers that it has not
   written.  An assembler may make anything of that, even where the kernel then
   does not use the value. */
#ifndef TESTS_PTX_REGISTERS_H
#define TESTS_PTX_REGISTERS_H

/*
 * Follow all ways through the kernel of @module.  Returns the place in @module
 * of a register that is read before it is written on one of them; @module
 * itself if there is no kernel or it is too large; NULL: all is well.  What an
 * instruction under a condition writes does not count.  Registers of templates,
 * which begin with %_, are those of NVIDIA's compiler, and are not looked at.
 */
const char *ptx_unwritten(const char *module);

#endif
