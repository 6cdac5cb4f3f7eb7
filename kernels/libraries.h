/* SPDX-License-Identifier: Apache-2.0 */
/* libraries.h - the structs of gemm and of LAPACK's routines, and the format
   "calls-1", for the array functions.  <dpr/backend.h> describes them at its
   end. */
#ifndef KERNELS_LIBRARIES_H
#define KERNELS_LIBRARIES_H

#include <dpr/backend.h>

#endif
