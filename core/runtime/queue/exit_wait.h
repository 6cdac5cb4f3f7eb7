/* SPDX-License-Identifier: Apache-2.0 */
/* exit_wait.h - let exit() wait for drivers that compile kernels, and for
   libraries. */
#ifndef RUNTIME_EXIT_WAIT_H
#define RUNTIME_EXIT_WAIT_H

/* Call this before a launch for which the driver may compile in a thread of its
   own, or which runs a library: exit() waits for such launches, at most 5 s. */
void exit_wait_begin(void);

#endif
