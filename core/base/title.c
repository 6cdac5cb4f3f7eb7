/* SPDX-License-Identifier: Apache-2.0 */
/* title.c - what the work that a thread submits is called. */
#include "core/base/title.h"

#include <stddef.h>

static _Thread_local const char *title;

bool title_begin(const char *name)
{
	if (title)
		return false;
	title = name;
	return true;
}

void title_end(bool began)
{
	if (began)
		title = NULL;
}

const char *title_or(const char *name)
{
	return title ? title : name;
}
