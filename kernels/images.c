/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.c - the functions of step.cl that are built into the library, as text
 * and as SPIR-V, and the routines, as text, SPIR-V and PTX.
 *
 * kernels/build-spirv-steps.sh makes the file with the SPIR-V of the functions.
 * kernels/build-routines.sh makes two files with all routines, and their index
 * kernels/routines.def.  The index has a line ROUTINE(format, name, offset,
 * size) for each module.  Offsets and sizes are in bytes of the format's file.
 */
#include "config.h"
#include "kernels/images.h"

#include <stdint.h>
#include <string.h>

#include "kernels/embed.h"

/* The text of the functions, in a C file that kernels/text.awk writes. */
extern const char images_text_steps[];
/* The text of the routine matmul, in a file of the same kind. */
extern const char images_text_matmul[];

struct image images_steps(void)
{
	struct image image = { images_text_steps, strlen(images_text_steps) };

	return image;
}

struct image images_matmul(void)
{
	struct image image = { images_text_matmul, strlen(images_text_matmul) };

	return image;
}

#ifdef HAVE_KERNEL_IMAGES
EMBED(images_spirv_steps, "spirv_steps.bin", true);
EMBED(images_routines_ptx, "routines_ptx.bin", false);
EMBED(images_routines_spirv, "routines_spirv.bin", true);

static const struct {
	char format[8];
	char name[24];
	uint32_t at, size;
} routines[] = {
#define ROUTINE(format, name, at, size) { #format, #name, at, size },
#include "kernels/routines.def"
#undef ROUTINE
};

bool images_have_spirv(void)
{
	return true;
}

dpr_status images_steps_spirv(struct image *out)
{
	return embed_get(&images_spirv_steps, &out->data, &out->size);
}

dpr_status images_routine(const char *format, const char *name,
			  struct image *out)
{
	const size_t n = sizeof(routines) / sizeof(routines[0]);
	struct embed *file = strcmp(format, "ptx") ? &images_routines_spirv
						   : &images_routines_ptx;
	const void *data;
	dpr_status status;
	size_t i = 0, size;

	*out = (struct image){ 0 };
	while (i < n && (strcmp(format, routines[i].format) != 0 ||
			 strcmp(name, routines[i].name) != 0))
		i++;
	if (i == n)
		return DPR_OK;
	status = embed_get(file, &data, &size);
	if (status)
		return status;
	out->data = (const char *)data + routines[i].at;
	out->size = routines[i].size;
	return DPR_OK;
}
#else
bool images_have_spirv(void)
{
	return false;
}

dpr_status images_steps_spirv(struct image *out)
{
	out->data = NULL;
	out->size = 0;
	return DPR_OK;
}

dpr_status images_routine(const char *format, const char *name,
			  struct image *out)
{
	(void)format;
	(void)name;
	*out = (struct image){ 0 };
	return DPR_OK;
}
#endif
