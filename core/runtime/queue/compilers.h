/* SPDX-License-Identifier: Apache-2.0 */
/* compilers.h - let exit() wait for drivers that compile kernels. */
#ifndef RUNTIME_COMPILERS_H
#define RUNTIME_COMPILERS_H

/* Call this before a launch for which the driver may compile in a thread of its
   own: exit() waits for such launches, at most 5 s. */
void compilers_begin(void);

#endif
