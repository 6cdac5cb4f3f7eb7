/* SPDX-License-Identifier: Apache-2.0 */
/* nvrtc.h - call NVIDIA's compiler, if it is installed.  It needs no device. */
#ifndef NVRTC_H
#define NVRTC_H

#include <stdbool.h>
#include <stddef.h>

/* Open the library.  False: it is not installed. */
bool nvrtc_open(void);
/* Compile CUDA C++ to a cubin for sm_90, which the caller frees.  @log gets the
   messages, which the caller frees.  False: it does not compile. */
bool nvrtc_compile(const char *text, char **cubin, size_t *size, char **log);
/* Compile CUDA C++ to PTX, a string, with one more option or NULL. */
bool nvrtc_ptx(const char *text, const char *option, char **ptx, char **log);

#endif
