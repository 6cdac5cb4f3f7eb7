/* SPDX-License-Identifier: Apache-2.0 */
/* formats.c - the formats in which kernels are made, and what each can do. */
#include "core/array/engine/formats.h"

#include <string.h>

#include <dpr/native.h>

#include "core/array/engine/ptx/emit_ptx.h"
#include "core/array/engine/reduce/reduce_native.h"
#include "core/array/engine/reduce/reduce_teams.h"
#include "core/array/engine/spirv/emit_spirv.h"
#include "core/array/engine/text/emit_text.h"

const struct kernel_format formats_none = { .name = NULL };

const struct kernel_format formats_text = {
	.name = "opencl-c",
	.flat_group = SCHEDULE_GROUP,
	.options = "-cl-std=CL1.2 -w",
	.write = emit_text_kernel,
	.has_stages = true,
	.plan_reduction = reduce_teams_plan,
	.foresee_rows = reduce_teams_foresee,
	.fill_reduction = reduce_teams_words,
};

const struct kernel_format formats_native = {
	.name = DPR_NATIVE_FORMAT,
	.is_native = true,
	.flat_group = SCHEDULE_GROUP,
	.has_stages = true,
	.plan_reduction = reduce_native_plan,
	.foresee_rows = reduce_native_foresee,
	.fill_reduction = reduce_native_words,
};

const struct kernel_format formats_ptx = {
	.name = "ptx",
	.flat_group = EMIT_PTX_FLAT_GROUP,
	.flat_packs = emit_ptx_packs,
	.row_packs = emit_ptx_row_packs,
	.open = emit_ptx_open,
	.write = emit_ptx_kernel,
	.has_stages = true,
	.has_vector_tiles = true,
	.holds_rows = true,
	.reads_transposed = true,
	.plan_reduction = reduce_teams_plan,
	.foresee_rows = reduce_teams_foresee,
	.fill_reduction = reduce_teams_words,
};

const struct kernel_format formats_spirv = {
	.name = "spirv",
	.flat_group = SCHEDULE_GROUP,
	.open = emit_spirv_open,
	.write = emit_spirv_kernel,
	.has_stages = true,
	.plan_reduction = reduce_teams_plan,
	.foresee_rows = reduce_teams_foresee,
	.fill_reduction = reduce_teams_words,
};

const struct kernel_format formats_files = {
	.in_files = true,
	.flat_group = SCHEDULE_GROUP,
	.plan_reduction = reduce_teams_plan_file,
	.fill_reduction = reduce_teams_file_words,
};

bool formats_has(const char *list, size_t size, const char *name)
{
	for (const char *at = list; at < list + size && *at;
	     at += strlen(at) + 1)
		if (!strcmp(at, name))
			return true;
	return false;
}

/* Whether native code comes first in @list among the formats in which dpr
   writes kernels. */
static bool begins_native(const char *list, size_t size)
{
	for (const char *at = list; at < list + size && *at;
	     at += strlen(at) + 1) {
		if (!strcmp(at, formats_native.name))
			return true;
		if (!strcmp(at, "opencl-c") || !strcmp(at, "ptx") ||
		    !strcmp(at, "spirv"))
			return false;
	}
	return false;
}

bool formats_prefers_text(const char *list, size_t size)
{
	for (const char *at = list; at < list + size && *at;
	     at += strlen(at) + 1) {
		if (!strcmp(at, formats_text.name))
			return true;
		if (!strcmp(at, formats_ptx.name) ||
		    !strcmp(at, formats_spirv.name))
			return false;
	}
	return false;
}

/* Whether the first name in @list can be the name of a folder.  Kernels in
   files lie in a folder that is named for their format. */
static bool is_folder(const char *list, size_t size)
{
	return size && *list && *list != '.' && !strchr(list, '/') &&
	       strlen(list) < FORMATS_NAME;
}

/* A CPU gets native code if @list has it, even behind other formats.  The
   engine's SPIR-V is written for the compilers of GPUs, so a CPU that also
   takes OpenCL C gets OpenCL C.  A device that takes PTX never gets OpenCL C,
   because its driver's compiler of OpenCL C is in another library, which may be
   missing. */
const struct kernel_format *formats_choose(const char *list, size_t size,
					   bool is_cpu)
{
	const bool text = formats_has(list, size, formats_text.name);
	const bool native = formats_has(list, size, formats_native.name);
	const bool spirv = formats_has(list, size, formats_spirv.name);

	if (begins_native(list, size) || (native && is_cpu))
		return &formats_native;
	if (formats_has(list, size, formats_ptx.name))
		return emit_ptx_is_there() ? &formats_ptx : &formats_none;
	if (spirv && !(text && is_cpu) && emit_spirv_is_there())
		return &formats_spirv;
	if (text)
		return &formats_text;
	return !spirv && is_folder(list, size) ? &formats_files : &formats_none;
}
