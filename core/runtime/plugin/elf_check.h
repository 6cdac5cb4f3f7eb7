/* SPDX-License-Identifier: Apache-2.0 */
/* elf_check.h - whether a plugin's file is complete, before dlopen() maps
   it. */
#ifndef RUNTIME_ELF_CHECK_H
#define RUNTIME_ELF_CHECK_H

#include <stdint.h>

#include <dpr/status.h>

#include "core/base/text.h"

/*
 * Check by its headers that the @size bytes of the file @fd are a complete
 * shared library for this machine.  If they are, @why stays empty.  dlopen() of
 * an incomplete file may kill the process.  Most of what lies between the
 * headers is not checked.
 * DPR_ERROR_OUT_OF_MEMORY.
 */
dpr_status elf_check(int fd, uint64_t size, struct text *why);

#endif
