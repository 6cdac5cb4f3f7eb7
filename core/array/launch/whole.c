/* SPDX-License-Identifier: Apache-2.0 */
/* whole.c - routines: builds their kernels. */
#include "core/array/launch/whole.h"

#include <stdio.h>

#include <dpr/program.h>

#include "core/array/launch/once_built.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "kernels/images.h"
#include "kernels/routine_matmul.h"

/* The routines.  Three macros come before the text of a kernel.  DPR_DTYPE is
   the dtype, ROUTINE the name of the kernel, and VARIANT the number of the
   variant. */
static const struct routine_entry {
	const char *name;
	const dprp_native_module *native;
	struct image (*text)(void);
	uint64_t group; /* the size of a work-group on GPUs */
	/* The parameters and the words of the kernel in the text. */
	const char *parameters, *words;
} table[WHOLE_ROUTINES] = {
	[WHOLE_MATMUL] = { "matmul", &routine_matmul_module, images_matmul, 256,
			   "global const T *a, global const T *b, global T *c, "
			   "matmul_words w",
			   "m, n, k, offset[3], row[3], column[3], tiles, down, "
			   "across, rows, columns, each, first, axes, "
			   "extent[8], stride[3][8]" },
};

/* The dtypes of kernels in files.  Integers wrap, so kernels of unsigned integers
   compute signed ones, too. */
static const dpr_dtype file_dtypes[] = {
	DPR_UINT8,    DPR_UINT16,  DPR_UINT32,  DPR_UINT64,    DPR_FLOAT16,
	DPR_BFLOAT16, DPR_FLOAT32, DPR_FLOAT64, DPR_COMPLEX64, DPR_COMPLEX128
};
#define FILE_DTYPES (sizeof(file_dtypes) / sizeof(file_dtypes[0]))

static void name_kernel(const char *routine, dpr_dtype dtype,
			char name[KERNEL_FILES_NAME])
{
	snprintf(name, KERNEL_FILES_NAME, "%.20s_%.12s", routine,
		 dpr_dtype_name(dtype));
}

/* The number of a key (once_built.h) consists of a routine, a dtype below
   DTYPES, and a variant. */
#define DTYPES 32

/* A kernel that is being built. */
struct whole {
	const struct routine_entry *routine;
	dpr_queue *queue;
	const struct target *target;
	dpr_dtype dtype;
	int variant;
	char name[KERNEL_FILES_NAME];
	dpr_program *program;
	dpr_kernel *kernel;
};

/* Whether this build of the library has routines as modules in the format of
   @target. */
static bool has_modules(const struct target *target)
{
	return (target->format == &formats_ptx ||
		target->format == &formats_spirv) &&
	       images_have_spirv();
}

static dpr_status build_image(struct whole *w,
			      const struct kernel_format *format,
			      const void *data, size_t size)
{
	const dpr_build_options options = { .struct_size = sizeof(options),
					    .flags = w->target->flags,
					    .compiler = format->options };
	const dpr_image image = { .format = format->name,
				  .data = data,
				  .size = size };
	dpr_status status =
		dpr_program_build(w->queue, &image, 1, &options, &w->program);

	if (!status)
		status = dpr_kernel_create(w->program, w->name, &w->kernel);
	return status;
}

/* Release the kernel if the driver cannot run work-groups of the routine's
   size. */
static dpr_status check_group(struct whole *w)
{
	dpr_kernel_info info;
	dpr_status status = dpr_kernel_get_info(w->kernel, &info);

	if (status || !info.max_work_group_size ||
	    info.max_work_group_size >= w->routine->group)
		return status;
	dpr_kernel_release(w->kernel);
	w->kernel = NULL;
	return DPR_OK;
}

static void add_text(const struct routine_entry *routine, dpr_dtype dtype,
		     const char *name, int variant, struct text *out)
{
	const struct image text = routine->text();

	text_print(out,
		   "#define DPR_DTYPE %d\n#define ROUTINE %s\n"
		   "#define VARIANT %d\n",
		   (int)dtype, name, variant);
	text_add(out, text.data, text.size);
}

static dpr_status build_text(struct whole *w)
{
	struct text code = { 0 };
	dpr_status status;

	add_text(w->routine, w->dtype, w->name, w->variant, &code);
	if (code.failed)
		status = fail_memory(w->name);
	else
		status = build_image(w, &formats_text, code.bytes, code.size);
	text_fini(&code);
	return status;
}

/* Build a kernel for GPUs: from a module in the format of the target, or else
   from text. */
static dpr_status build_gpu(struct whole *w)
{
	char name[KERNEL_FILES_NAME + 12];
	struct image code = { 0 };
	dpr_status status = DPR_OK;

	snprintf(name, sizeof(name), "%s_%d", w->name, w->variant);
	if (has_modules(w->target))
		status = images_routine(w->target->format->name, name, &code);
	if (status)
		return status;
	if (code.data)
		status =
			build_image(w, w->target->format, code.data, code.size);
	else if (w->target->takes_text)
		status = build_text(w);
	else
		return DPR_ERROR_UNSUPPORTED;
	return status ? status : check_group(w);
}

static dpr_status build_file(struct whole *w)
{
	const dpr_status status =
		kernel_files_load(w->queue, w->target->format_name, w->name,
				  &w->program, &w->kernel);

	return status ? status : check_group(w);
}

static dpr_status build(dpr_queue *queue, const struct once_built_key *key,
			dpr_program **program, dpr_kernel **kernel)
{
	struct whole w = {
		.queue = queue,
		.target = target_of(dpr_queue_device(queue)),
		.routine = &table[key->number % WHOLE_ROUTINES],
		.dtype = (dpr_dtype)(key->number / WHOLE_ROUTINES % DTYPES),
		.variant = key->number / WHOLE_ROUTINES / DTYPES,
	};
	dpr_status status;

	name_kernel(key->name, w.dtype, w.name);
	if (w.target->format->is_native)
		status = build_image(&w, &formats_native, w.routine->native,
				     sizeof(*w.routine->native));
	else
		status = w.target->format->in_files ? build_file(&w)
						    : build_gpu(&w);
	*program = w.program;
	*kernel = w.kernel;
	return status;
}

bool whole_has_format(const struct target *target)
{
	return target->format->is_native || target->format->in_files ||
	       target->takes_text || has_modules(target);
}

bool whole_file(size_t i, struct whole_file *out)
{
	const struct routine_entry *routine;

	if (i >= WHOLE_ROUTINES * FILE_DTYPES)
		return false;
	routine = &table[i / FILE_DTYPES];
	*out = (struct whole_file){
		.routine = (enum whole_routine)(i / FILE_DTYPES),
		.dtype = file_dtypes[i % FILE_DTYPES],
		.parameters = routine->parameters,
		.words = routine->words,
	};
	name_kernel(routine->name, out->dtype, out->name);
	return true;
}

void whole_source(const struct whole_file *file, struct text *out)
{
	add_text(&table[file->routine], file->dtype, file->name,
		 WHOLE_FILE_VARIANT, out);
}

dpr_status whole_get(dpr_queue *queue, enum whole_routine routine,
		     dpr_dtype dtype, int variant, dpr_kernel **out)
{
	const struct once_built_key key = {
		.name = table[routine].name,
		.number = (variant * DTYPES + (int)dtype) * WHOLE_ROUTINES +
			  (int)routine,
	};

	*out = NULL;
	if (!whole_has_format(target_of(dpr_queue_device(queue))))
		return DPR_OK;
	return once_built_get(queue, &key, build, out);
}
