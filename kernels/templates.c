/* SPDX-License-Identifier: Apache-2.0 */
/*
 * templates.c - finds templates (templates.h).
 *
 * kernels/build-templates.sh makes one file of all templates, and its index
 * kernels/templates.def.  The index has lines TEMPLATE(name, offset, size,
 * tables), sorted by name, and lines TABLE(name, offset, size).  Offsets and
 * sizes are in bytes of the file; bit n of `tables` is set if the template
 * reads table n.
 */
#include "config.h"
#include "kernels/templates.h"

#include <string.h>

#include "kernels/embed.h"

#ifdef HAVE_KERNEL_IMAGES
EMBED(templates_all, "templates.ptx", false);

static const struct {
	char name[24];
	uint32_t at, size;
	uint64_t tables;
} templates[] = {
#define TEMPLATE(name, at, size, tables) { #name, at, size, tables },
#include "kernels/templates.def"
#undef TEMPLATE
};

static const struct {
	uint32_t at, size;
} tables[] = {
#define TABLE(name, at, size) { at, size },
#include "kernels/templates.def"
#undef TABLE
};

bool templates_are_there(void)
{
	return true;
}

dpr_status templates_text(const char **out)
{
	const void *data;
	size_t size;
	const dpr_status status = embed_get(&templates_all, &data, &size);

	*out = data;
	return status;
}

bool templates_find(const char *name, struct template *out)
{
	size_t begin = 0, end = sizeof(templates) / sizeof(templates[0]);

	while (begin < end) {
		const size_t middle = begin + (end - begin) / 2;
		const int order = strcmp(name, templates[middle].name);

		if (order == 0) {
			out->at = templates[middle].at;
			out->size = templates[middle].size;
			out->tables = templates[middle].tables;
			return true;
		}
		if (order < 0)
			end = middle;
		else
			begin = middle + 1;
	}
	return false;
}

struct template templates_table(int n)
{
	const struct template table = {
		.at = tables[n].at,
		.size = tables[n].size,
		.tables = 0,
	};

	return table;
}
#else
bool templates_are_there(void)
{
	return false;
}

dpr_status templates_text(const char **out)
{
	*out = NULL;
	return DPR_OK;
}

bool templates_find(const char *name, struct template *out)
{
	(void)name;
	(void)out;
	return false;
}

struct template templates_table(int n)
{
	const struct template none = { 0, 0, 0 };

	(void)n;
	return none;
}
#endif
