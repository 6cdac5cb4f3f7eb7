/* SPDX-License-Identifier: Apache-2.0 */
/* isolate.h - find out about each plugin in a process of its own. */
#ifndef TOOLS_ISOLATE_H
#define TOOLS_ISOLATE_H

#include <stdbool.h>

#include "tools/inspect/findings.h"

/* Load and open each plugin in a process of its own, which may take @seconds.
   False: no memory, or no process can be made. */
bool isolate_findings(struct findings *findings, unsigned seconds);

#endif
