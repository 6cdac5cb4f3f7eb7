/* SPDX-License-Identifier: Apache-2.0 */
/* calls_format.c - routines of libraries: the format, and modules. */
#include "tools/kit/calls/calls_format.h"

#include <stdio.h>
#include <string.h>

const struct calls_type calls_types[CALLS_TYPES] = {
	{ "float32", 1, 4 },
	{ "float64", 1, 8 },
	{ "complex64", 2, 8 },
	{ "complex128", 2, 16 },
};

void calls_need(struct kit *kit)
{
	char list[2048] = "", *at = list;
	size_t need = 0;

	if (!kit->plugin->module)
		note_skip("there is no module table: the plugin can only copy");
	if (NOTE_CALL(kit->plugin->device->info(kit->device, DPR_INFO_FORMATS,
						list, sizeof(list) - 1, &need),
		      "device->info", "key=DPR_INFO_FORMATS"))
		note_skip("the device tells no FORMATS");
	while (at < list + need && *at && strcmp(at, DPRP_CALLS_FORMAT) != 0)
		at += strlen(at) + 1;
	if (at >= list + need || !*at)
		note_skip("the device does not offer the format calls-1");
	kit->format = DPRP_CALLS_FORMAT;
}

/* The bytes of a log. */
static void count(void *user, const char *bytes, size_t size)
{
	(void)bytes;
	*(size_t *)user += size;
}

/* More bytes follow the name, which has no terminating 0. */
dprp_rc calls_make(struct kit *kit, const char *name, size_t *logged,
		   dprp_module **out)
{
	char data[40] = "";
	const dprp_image image = { sizeof(image), DPRP_CALLS_FORMAT, NULL, data,
				   strlen(name) };
	const dprp_image *const images = &image;
	const dprp_module_desc desc = { .struct_size = sizeof(desc),
					.n_images = 1,
					.images = &images,
					.log = { count, logged } };

	memset(data, 'x', sizeof(data) - 1);
	memcpy(data, name, strlen(name));
	*logged = 0;
	*out = NOTE_POISON;
	return NOTE_CALL(kit->plugin->module->create(kit->context, kit->device,
						     &desc, out),
			 "module->create", "format=calls-1, data=\"%s\"", name);
}

bool calls_open(struct kit *kit, const char *routine,
		const struct calls_type *type)
{
	char name[32];
	size_t logged;
	dprp_rc rc;

	snprintf(name, sizeof(name), "%s %s", routine, type->name);
	rc = calls_make(kit, name, &logged, &kit->module);
	if (rc == DPR_RC_UNSUPPORTED) {
		kit->module = NULL;
		note_tell("%s: %s", name, note_error_text());
		return false;
	}
	note_need("X1", rc);
	note_handle(kit->module);
	if (!logged)
		note_bad("X1", "a line in desc->log that names the library",
			 "an empty log");
	return true;
}

void calls_close(struct kit *kit)
{
	note_step("module->destroy", "%s", "");
	kit->plugin->module->destroy(kit->module);
	kit->module = NULL;
}
