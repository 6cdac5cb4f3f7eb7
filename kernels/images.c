/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.c - the kernel functions that are built into the library.
 *
 * The SPIR-V is in a file that kernels/build-spirv-steps.sh makes.  Its bytes
 * are in .rodata, so they are paged in only when used.
 */
#include "config.h"
#include "kernels/images.h"

#include <string.h>

/* The text, written by kernels/text.awk. */
extern const char images_text_steps[];

struct image images_steps(void)
{
	struct image image = { images_text_steps, strlen(images_text_steps) };

	return image;
}

#ifdef HAVE_KERNEL_IMAGES
/* Include a file as bytes that begin at a label. */
#define INCLUDE(label, file)                                \
	__asm__(".pushsection .rodata\n.balign 64\n" #label \
		":\n.incbin \"" file "\"\n" #label          \
		"_end:\n.balign 64\n.popsection\n");        \
	extern const unsigned char label[],                 \
		label##_end[] __attribute__((visibility("hidden")));
INCLUDE(images_spirv_steps, "kernels/spirv_steps.bin")

struct image images_steps_spirv(void)
{
	struct image image = { images_spirv_steps,
			       (size_t)(images_spirv_steps_end -
					images_spirv_steps) };

	return image;
}
#else
struct image images_steps_spirv(void)
{
	const struct image none = { NULL, 0 };

	return none;
}
#endif
