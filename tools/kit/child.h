/* SPDX-License-Identifier: Apache-2.0 */
/* child.h - running a check of dpr check-plugin in a process of its own. */
#ifndef TOOLS_CHILD_H
#define TOOLS_CHILD_H

#include <stdbool.h>

#include "tools/kit/kit.h"

/* Run @check, or kit_probe() if it is NULL, with a fresh copy of @kit, for at
   most kit->limit seconds.  *@report gets what it reported; a crash, a hang or
   an end of the process becomes a finding.  If this process is ended by a
   signal, that of the check is, too.  report->stops is read, the rest is set.
   Returns false if the process could not be made. */
bool child_run(const struct kit *kit, const struct kit_check *check,
	       struct note_report *report);
/* Run @check in this process, without a limit, and end it with the status that
   @at_end returns. */
_Noreturn void child_run_here(const struct kit *kit,
			      const struct kit_check *check,
			      int (*at_end)(const struct note_report *report));
/* Find the file of the plugin @name as the library does, in a process of its
   own.  Returns the path, to be freed, or NULL. */
char *child_find(const char *name);

#endif
