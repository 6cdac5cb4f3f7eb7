/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.c - the modules of kernels/images.h.
 *
 * SPIR-V and PTX are in two files that kernels/build-images.sh makes.  Their
 * bytes are in .rodata, so they are paged in only when used. kernels/images.def
 * is their index: IMAGE(family, type, SPIR-V offset, size, PTX offset, size).
 */
#include "config.h"
#include "kernels/images.h"

#include <dpr/backend.h>

#include <stdint.h>
#include <string.h>

/* The texts, written by kernels/text.awk. */
extern const char images_text_iota[], images_text_steps[], images_text_turn[];

static const struct {
	const char *name, *text;
} families[] = {
#define IMAGES__X(upper, name) { #name, images_text_##name },
	IMAGES_FAMILY_MAP(IMAGES__X)
#undef IMAGES__X
};

#define NATIVE_MODULES(X) X(iota, 12) X(iota, 13)

#define DECLARE(family, type) \
	extern const struct image native_##family##_##type;
NATIVE_MODULES(DECLARE)

static const struct {
	const char *family;
	unsigned type;
	const struct image *image;
} natives[] = {
#define ENTRY(family, type) { #family, type, &native_##family##_##type },
	NATIVE_MODULES(ENTRY)
};

const char *images_family_name(enum images_family family)
{
	return families[family].name;
}

struct image images_source(enum images_family family)
{
	const char *text = families[family].text;

	return (struct image){ text, strlen(text) };
}

struct image images_steps(void)
{
	struct image image = { images_text_steps, strlen(images_text_steps) };

	return image;
}

struct image images_turn(void)
{
	struct image image = { images_text_turn, strlen(images_text_turn) };

	return image;
}

const char *images_native_format(void)
{
	return DPRP_NATIVE_FORMAT;
}

struct image images_native(enum images_family family, unsigned type)
{
	const struct image none = { NULL, 0 };

	for (size_t i = 0; i < sizeof(natives) / sizeof(natives[0]); i++)
		if (natives[i].type == type &&
		    strcmp(natives[i].family, families[family].name) == 0)
			return *natives[i].image;
	return none;
}

#ifdef HAVE_KERNEL_IMAGES
/* Include a file as bytes that begin at a label. */
#define INCLUDE(label, file)                                \
	__asm__(".pushsection .rodata\n.balign 64\n" #label \
		":\n.incbin \"" file "\"\n" #label          \
		"_end:\n.balign 64\n.popsection\n");        \
	extern const unsigned char label[],                 \
		label##_end[] __attribute__((visibility("hidden")));
INCLUDE(images_all_spirv, "kernels/spirv.bin")
INCLUDE(images_all_ptx, "kernels/ptx.bin")
INCLUDE(images_spirv_steps, "kernels/spirv_steps.bin")

static const struct {
	const char *family;
	uint32_t type, spirv_at, spirv_size, ptx_at, ptx_size;
} built[] = {
#define IMAGE(family, type, sat, ssize, pat, psize) \
	{ #family, type, sat, ssize, pat, psize },
#include "kernels/images.def"
};

static size_t find_built(enum images_family family, unsigned type)
{
	size_t i = 0;

	while (i < sizeof(built) / sizeof(built[0]) &&
	       (built[i].type != type ||
		strcmp(built[i].family, families[family].name) != 0))
		i++;
	return i;
}

struct image images_spirv(enum images_family family, unsigned type)
{
	struct image image = { NULL, 0 };
	size_t i = find_built(family, type);

	if (i < sizeof(built) / sizeof(built[0])) {
		image.data = images_all_spirv + built[i].spirv_at;
		image.size = built[i].spirv_size;
	}
	return image;
}

struct image images_ptx(enum images_family family, unsigned type)
{
	struct image image = { NULL, 0 };
	size_t i = find_built(family, type);

	if (i < sizeof(built) / sizeof(built[0])) {
		image.data = images_all_ptx + built[i].ptx_at;
		image.size = built[i].ptx_size;
	}
	return image;
}

struct image images_steps_spirv(void)
{
	struct image image = { images_spirv_steps,
			       (size_t)(images_spirv_steps_end -
					images_spirv_steps) };

	return image;
}
#else
struct image images_spirv(enum images_family family, unsigned type)
{
	const struct image none = { NULL, 0 };

	(void)family;
	(void)type;
	return none;
}

struct image images_ptx(enum images_family family, unsigned type)
{
	return images_spirv(family, type);
}

struct image images_steps_spirv(void)
{
	return images_spirv(IMAGES_IOTA, 0);
}
#endif
