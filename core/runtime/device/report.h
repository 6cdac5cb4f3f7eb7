/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - what became of each plugin file, for error texts. */
#ifndef RUNTIME_REPORT_H
#define RUNTIME_REPORT_H

#include "core/base/text.h"

/* Append one line for each plugin that did not start, with the reason.  Each
   line begins with a newline. */
void report_explain(struct text *text);

#endif
