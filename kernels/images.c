/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.c - the functions of step.cl that are built into the library, as text
 * and as SPIR-V, and the texts of routines.
 *
 * kernels/build-spirv-steps.sh makes the file with the SPIR-V.
 */
#include "config.h"
#include "kernels/images.h"

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
