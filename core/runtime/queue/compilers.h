/* SPDX-License-Identifier: Apache-2.0 */
/* compilers.h - exit() while a driver compiles. */
#ifndef RUNTIME_COMPILERS_H
#define RUNTIME_COMPILERS_H

/* A launch is about to go out for which the driver may compile in a thread of
   its own: exit() waits for it, 5 s at most. */
void compilers_begin(void);

#endif
