/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h - the numbered rules of <dpr/backend.h>. */
#ifndef TOOLS_RULES_H
#define TOOLS_RULES_H

/* The rule in a sentence; "" for numbers that do not exist. */
const char *rules_text(const char *number);

#endif
