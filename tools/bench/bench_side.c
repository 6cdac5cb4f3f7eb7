/* SPDX-License-Identifier: Apache-2.0 */
/* bench_side.c - a side that does not exist, or that has failed. */
#include "tools/bench/bench_side.h"

#include <string.h>

#include <dpr/status.h>

bool bench_side_none(struct bench_side *side, const char *why)
{
	side->run = NULL;
	strncpy(side->name, why, sizeof(side->name) - 1);
	return true;
}

bool bench_side_failed(struct message *message)
{
	return message_set(message, "%s", dpr_last_error());
}
