/* SPDX-License-Identifier: Apache-2.0 */
/* group_modules.c - modules: images, flags, constants, names, binaries. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/samples.h"
#include "tools/kit/work.h"

static void need_modules(struct kit *kit)
{
	if (!kit->plugin->module)
		note_skip("there is no module table: the plugin can only copy");
}

/* Use a module: run add_one, as kit->module. */
static void use(struct kit *kit, dprp_module *module, const char *format)
{
	dprp_mem *mem = work_mem(kit, 400);
	dprp_module *old = kit->module;
	dprp_kernel *kernel;

	kit->module = module;
	kit->format = format;
	kernel = samples_kernel(kit, "add_one");
	work_set(kit, mem, 100, 41);
	samples_add_one(kit, kit->queue, kernel, mem, 100, NULL);
	work_finish(kit, kit->queue);
	if (work_cell(kit, mem, 99) != 42)
		note_bad("Q10", "each element one larger",
			 "add_one of the format %s gives %d for 41", format,
			 work_cell(kit, mem, 99));
	samples_drop(kit, kernel);
	work_free(kit, mem);
	kit->module = old;
}

/* Every format of which there is an image here. */
static void formats(struct kit *kit)
{
	char list[2048] = "", *at, *refused = NULL;
	dprp_module *module;
	size_t need = 0;
	unsigned used = 0;
	uint32_t i;

	need_modules(kit);
	if (NOTE_CALL(kit->plugin->device->info(kit->device, DPR_INFO_FORMATS,
						list, sizeof(list) - 1, &need),
		      "device->info", "key=DPR_INFO_FORMATS"))
		note_skip("the device tells no FORMATS");
	for (at = list; at < list + need && *at; at += strlen(at) + 1) {
		for (i = 0; i < SAMPLES; i++)
			if (!strcmp(samples_all[i].format, at))
				break;
		if (i == SAMPLES) {
			note_tell("no kernel here has the format %s", at);
			continue;
		}
		if (!samples_fits(kit, &samples_all[i])) {
			refused = at;
			note_tell("FORMATS lists %s, but pick refuses it: %s",
				  at, note_error_text());
			continue;
		}
		note_need("K2", samples_make(kit, &samples_all[i], &module));
		use(kit, module, at);
		note_step("module->destroy", "format=%s", at);
		kit->plugin->module->destroy(module);
		used++;
	}
	note_step("module->pick", "each format of FORMATS");
	if (!used && refused)
		note_bad("K1", "OK for one of them", "UNSUPPORTED for %s",
			 refused);
	else if (!used)
		note_skip("no kernel here has a format of the device");
}

static void pick(struct kit *kit)
{
	static const dprp_image junk = { sizeof(junk), "com.acme.none", NULL,
					 "junk", 4 };
	const dprp_image *list[SAMPLES + 1] = { &junk };
	uint32_t i, best = 99;
	dprp_rc rc;

	need_modules(kit);
	rc = NOTE_CALL(kit->plugin->module->pick(kit->device, list, 1, &best),
		       "module->pick", "an unknown format alone");
	note_want("K1", rc, DPR_RC_UNSUPPORTED);
	for (i = 0; i < SAMPLES; i++)
		list[i + 1] = &samples_all[i];
	rc = NOTE_CALL(kit->plugin->module->pick(kit->device, list, SAMPLES + 1,
						 &best),
		       "module->pick",
		       "an unknown format, native, opencl-c, spirv, ptx");
	if (rc)
		note_skip("the device takes no format of the kit");
	if (best < 1 || best > SAMPLES)
		note_bad("K1", "the index of an image that it takes", "%u",
			 best);
	else if (!samples_fits(kit, list[best]))
		note_bad("K1", "OK for the image that it has chosen", "%s",
			 note_error_text());
}

/* --- Images that are wrong --------------------------------------------------
 */

struct log {
	char text[400];
	size_t size;
};

static void collect(void *user, const char *bytes, size_t size)
{
	struct log *log = user;
	size_t room = sizeof(log->text) - 1 - log->size;

	size = size < room ? size : room;
	memcpy(log->text + log->size, bytes, size);
	log->size += size;
}

/* Make a module that cannot be made. */
static void refuse(struct kit *kit, const dprp_image *image, bool source)
{
	struct log log = { .size = 0 };
	const dprp_module_desc desc = { .struct_size = sizeof(desc),
					.n_images = 1,
					.images = &image,
					.log = { collect, &log } };
	dprp_module *module = NOTE_POISON;
	dprp_rc rc;

	if (!samples_fits(kit, image))
		return;
	rc = NOTE_CALL(kit->plugin->module->create(kit->context, kit->device,
						   &desc, &module),
		       "module->create", "a wrong image, format=%s",
		       image->format);
	if (!rc || (source && rc != DPR_RC_BUILD))
		note_bad("K2", source ? "BUILD" : "BUILD, INVALID or NATIVE",
			 "%s", note_rc_name(rc));
	else if (rc == DPR_RC_BUILD && !log.size)
		note_bad("K2", "a reason in desc->log", "BUILD, but no log");
}

static void wrong(struct kit *kit)
{
	static const char source[] = "kernel void f(\n#error no such thing\n";
	static const char text[] = ".version 6.0\n.target sm_60\n.entry f(\n";
	static const dprp_native_module none = { 8, 0, 0, NULL };
	const dprp_image images[] = {
		{ sizeof(dprp_image), "opencl-c", NULL, source,
		  sizeof(source) - 1 },
		{ sizeof(dprp_image), "ptx", NULL, text, sizeof(text) },
		{ sizeof(dprp_image), "spirv", NULL, "\3\2\043\7junk", 8 },
		{ sizeof(dprp_image), DPRP_NATIVE_FORMAT, NULL, &none, 8 },
	};
	size_t i;

	need_modules(kit);
	for (i = 0; i < KIT_COUNT(images); i++)
		refuse(kit, &images[i], i == 0);
	/* After that, modules can still be made. */
	samples_open(kit);
	use(kit, kit->module, kit->format);
}

/* --- What a module is made with ---------------------------------------------
 */

/* Return the first image that the device takes. */
static const dprp_image *first_image(struct kit *kit)
{
	uint32_t i;

	need_modules(kit);
	for (i = 0; i < SAMPLES; i++)
		if (samples_fits(kit, &samples_all[i]))
			return &samples_all[i];
	note_skip("the device takes no format of the kit");
}

static dprp_rc make_with(struct kit *kit, const dprp_module_desc *desc,
			 const char *what)
{
	dprp_module *module = NOTE_POISON;
	dprp_rc rc;

	rc = NOTE_CALL(kit->plugin->module->create(kit->context, kit->device,
						   desc, &module),
		       "module->create", "%s, flags=%#llx", what,
		       ULL(desc->flags));
	if (!rc) {
		note_handle(module);
		kit->plugin->module->destroy(module);
	}
	return rc;
}

static void flags(struct kit *kit)
{
	static const dprp_ext strange = { sizeof(strange), "com.acme.none",
					  NULL };
	const dprp_image *image = first_image(kit);
	dprp_module_desc desc = { .struct_size = sizeof(desc),
				  .n_images = 1,
				  .images = &image };
	dprp_rc rc;

	for (desc.flags = 1; desc.flags < 4; desc.flags++) {
		rc = make_with(kit, &desc, image->format);
		if (rc && rc != DPR_RC_UNSUPPORTED)
			note_bad("K3", "OK or UNSUPPORTED", "%s",
				 note_rc_name(rc));
	}
	for (desc.flags = 4; desc.flags && !note_found(); desc.flags <<= 5)
		note_want("G7", make_with(kit, &desc, image->format),
			  DPR_RC_UNSUPPORTED);
	desc.flags = 0;
	desc.ext = &strange;
	note_want("G7", make_with(kit, &desc, "ext \"com.acme.none\""),
		  DPR_RC_UNSUPPORTED);
}

/* Values of constants, for formats that have none. */
static void constants(struct kit *kit)
{
	static const uint32_t value = 7;
	const dprp_spec spec = { 3, sizeof(value), &value };
	const dprp_image *image;
	dprp_module_desc desc = { .struct_size = sizeof(desc),
				  .n_images = 1,
				  .n_spec = 1,
				  .images = &image,
				  .spec = &spec };
	uint32_t i, used = 0;

	need_modules(kit);
	for (i = 0; i < SAMPLES; i++) {
		image = &samples_all[i];
		/* The core would check the constants of a SPIR-V module. */
		if (!strcmp(image->format, "spirv") ||
		    !samples_fits(kit, image))
			continue;
		note_want("K10", make_with(kit, &desc, "a constant"),
			  DPR_RC_UNSUPPORTED);
		used++;
	}
	if (!used)
		note_skip("the device takes no format without constants");
}

static void names(struct kit *kit)
{
	dprp_kernel *kernel = NOTE_POISON, *two[2];
	dprp_rc rc;

	samples_open(kit);
	rc = NOTE_CALL(
		kit->plugin->module->kernel(kit->module, "no_such", &kernel),
		"module->kernel", "name=\"no_such\"");
	note_want("K4", rc, DPR_RC_INVALID);
	two[0] = samples_kernel(kit, "add_one");
	two[1] = samples_kernel(kit, "add_one");
	if (two[0] == two[1])
		note_bad("K4", "a new handle each time",
			 "the handle of one that exists");
	samples_drop(kit, two[0]);
	note_step("module->kernel_info", "after the other one was destroyed");
	samples_drop(kit, two[1]);
}

/* --- Binaries ---------------------------------------------------------------
 */

struct binary {
	char *bytes;
	size_t size;
};

static void append(void *user, const char *bytes, size_t size)
{
	struct binary *binary = user;
	char *grown = realloc(binary->bytes, binary->size + size + 1);

	if (!grown)
		note_skip("out of memory");
	memcpy(grown + binary->size, bytes, size);
	binary->bytes = grown;
	binary->size += size;
}

static void binary(struct kit *kit)
{
	struct binary binary = { 0 };
	dprp_image image = { .struct_size = sizeof(image) };
	dprp_module *again;
	char format[80];
	dprp_rc rc;

	samples_open(kit);
	if (!DPRP_HAS(kit->plugin->module, dprp_module_ops, binary))
		note_skip("there is no entry module->binary");
	rc = NOTE_CALL(kit->plugin->module->binary(
			       kit->module, (dprp_sink){ append, &binary }),
		       "module->binary", "format=%s", kit->format);
	if (rc || !binary.size)
		note_skip("binary gives none of the format %s: %s", kit->format,
			  note_error_text());
	snprintf(format, sizeof(format), "%s-binary", kit->plugin->name);
	image.format = format;
	image.data = binary.bytes;
	image.size = binary.size;
	if (!samples_fits(kit, &image))
		note_bad("K11", "OK for the plugin's own binary", "%s",
			 note_error_text());
	note_need("K11", samples_make(kit, &image, &again));
	use(kit, again, format);
	kit->plugin->module->destroy(again);
	free(binary.bytes);
}

/* --- Answers of kernels -----------------------------------------------------
 */

static void check_params(struct kit *kit, dprp_kernel *kernel,
			 const dprp_param *want, uint32_t n, const char *name)
{
	dprp_param params[16];
	size_t need = 0;
	uint32_t i;
	dprp_rc rc;

	memset(params, 0xa5, sizeof(params));
	rc = NOTE_CALL(kit->plugin->module->kernel_info(
			       kernel, kit->device, DPRP_KERNEL_PARAMS, params,
			       sizeof(params), &need),
		       "module->kernel_info", "key=PARAMS of %s", name);
	if (rc == DPR_RC_UNSUPPORTED) {
		note_tell("kernel_info does not tell PARAMS: dpr does not "
			  "check arguments");
		return;
	}
	note_need("K5", rc);
	if (need != n * sizeof(params[0])) {
		note_bad("K5", "a struct for each parameter",
			 "*need is %zu for %u parameters", need, n);
		return;
	}
	for (i = 0; i < n; i++)
		if ((params[i].kind && params[i].kind != want[i].kind) ||
		    (params[i].size && want[i].size &&
		     params[i].size != want[i].size))
			note_bad("K5",
				 "the kind and size of the parameter, or "
				 "0",
				 "parameter %u: kind %u, size %llu", i,
				 params[i].kind, ULL(params[i].size));
}

static void answers(struct kit *kit)
{
	static const dprp_param one[] = { { DPRP_ARG_MEM, 0, sizeof(void *) },
					  { DPRP_ARG_VALUE, 0, 8 } };
	static const dprp_param axpy[] = { { DPRP_ARG_VALUE, 0, 4 },
					   { DPRP_ARG_MEM, 0, sizeof(void *) },
					   { DPRP_ARG_MEM, 0, sizeof(void *) },
					   { DPRP_ARG_VALUE, 0, 8 } };
	const dprp_module_ops *ops = kit->plugin->module;
	unsigned char bytes[256];
	dprp_kernel *kernel[2];
	size_t need, again;
	uint32_t key, i;

	samples_open(kit);
	kernel[0] = samples_kernel(kit, "add_one");
	kernel[1] = samples_kernel(kit, "axpy");
	check_params(kit, kernel[0], one, 2, "add_one");
	check_params(kit, kernel[1], axpy, 4, "axpy");
	for (key = DPRP_KERNEL_PARAMS; key <= DPRP_KERNEL_COMPILES_LATE;
	     key++) {
		if (NOTE_CALL(ops->kernel_info(kernel[0], kit->device, key,
					       NULL, 0, &need),
			      "module->kernel_info", "key=%u, buffer=NULL",
			      key))
			continue;
		if (key > 1 && need != (key == 6 ? 24 : 8))
			note_bad("K5", key == 6 ? "24 bytes" : "8 bytes",
				 "*need is %zu", need);
		memset(bytes, 0xa5, sizeof(bytes));
		note_want(
			"V4",
			NOTE_CALL(ops->kernel_info(kernel[0], kit->device, key,
						   bytes, need - 1, &again),
				  "module->kernel_info", "key=%u, capacity=%zu",
				  key, need - 1),
			DPR_RC_INVALID);
		for (i = 0; i < sizeof(bytes) && bytes[i] == 0xa5; i++)
			;
		if (i < sizeof(bytes))
			note_bad("V4", "the buffer unchanged",
				 "bytes written to a buffer that is too small");
	}
	note_want("V5",
		  NOTE_CALL(ops->kernel_info(kernel[0], kit->device, 9999, NULL,
					     0, &need),
			    "module->kernel_info", "key=9999, buffer=NULL"),
		  DPR_RC_UNSUPPORTED);
	samples_drop(kit, kernel[0]);
	samples_drop(kit, kernel[1]);
}

static const struct kit_check checks[] = {
	{ "formats", formats, 0 },     { "pick", pick, 0 },
	{ "wrong", wrong, 0 },         { "flags", flags, 0 },
	{ "constants", constants, 0 }, { "names", names, 0 },
	{ "binary", binary, 0 },       { "answers", answers, 0 },
};

const struct kit_group group_modules = {
	"modules", "modules: images, flags, constants, names, binaries", checks,
	KIT_COUNT(checks)
};
