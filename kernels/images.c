/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.c - the kernel functions that are built into the library.
 *
 * The SPIR-V is in a file that kernels/build-spirv-steps.sh makes.
 */
#include "config.h"
#include "kernels/images.h"

#include <string.h>

#include "kernels/embed.h"

/* The text, written by kernels/text.awk. */
extern const char images_text_steps[];

struct image images_steps(void)
{
	struct image image = { images_text_steps, strlen(images_text_steps) };

	return image;
}

#ifdef HAVE_KERNEL_IMAGES
EMBED(images_spirv_steps, "spirv_steps.bin");

bool images_have_spirv(void)
{
	return true;
}

dpr_status images_steps_spirv(struct image *out)
{
	return embed_get(&images_spirv_steps, &out->data, &out->size);
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
#endif
