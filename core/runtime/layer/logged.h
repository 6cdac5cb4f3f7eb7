/* SPDX-License-Identifier: Apache-2.0 */
/* logged.h - what the layer "check" has found, in the log. */
#ifndef RUNTIME_LOGGED_H
#define RUNTIME_LOGGED_H

#include "core/runtime/layer/finding.h"

/* Log what is found while the layer "check" is on.  The first few findings of a
   rule and entry are logged; the others are counted. */
extern const struct finding_sink logged_sink;

#endif
