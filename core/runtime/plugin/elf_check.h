/* SPDX-License-Identifier: Apache-2.0 */
/* elf_check.h - whether a plugin's file is whole, before dlopen() maps it. */
#ifndef RUNTIME_ELF_CHECK_H
#define RUNTIME_ELF_CHECK_H

#include <stdint.h>

#include <dpr/status.h>

#include "core/base/text.h"

/*
 * Whether the @size bytes of the file @fd are a whole shared library for this
 * machine, by its headers; @why is empty if they are.  dlopen() of a file that
 * is not whole may kill the process.  What lies between the headers is not
 * checked.
 * DPR_ERROR_OUT_OF_MEMORY.
 */
dpr_status elf_check(int fd, uint64_t size, struct text *why);

#endif
