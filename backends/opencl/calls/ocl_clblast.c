/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl_clblast.c - opens CLBlast, and says what its statuses mean.
 *
 * Most drivers compile CLBlast's kernels in each process, which takes longer
 * than most products.  So CLBlast is used only if the option names it.
 */
#include "backends/opencl/calls/ocl_clblast.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The library ---------------------------------------------------------- */

#define ENTRY(name, parameters) #name,
static const char *const names[] = { OCL_CLBLAST_ENTRIES(ENTRY) };
#undef ENTRY

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Describe the library by its file.  The name of the file has the version,
   which no entry tells. */
static void describe(struct ocl_clblast *blas)
{
	void *entry = NULL;
	char *path = NULL;
	Dl_info info;

	memcpy(&entry, &blas->CLBlastSgemm, sizeof(entry));
	if (!dladdr(entry, &info))
		info.dli_fname = "?";
	path = realpath(info.dli_fname, NULL);
	snprintf(blas->text, sizeof(blas->text),
		 "CLBlast, %.400s, kernels compiled by the driver in each "
		 "process",
		 path ? path : info.dli_fname);
	free(path);
}

static void open_clblast(dprp_instance *instance, struct ocl_clblast *blas)
{
	const struct library_search search = {
		.option = "BLAS",
		.value = instance->libraries.blas_option,
		.names = names,
		.n_names = COUNT(names),
	};
	struct library_source source;

	if (!search.value) {
		snprintf(blas->text, sizeof(blas->text),
			 "CLBlast is used only if DPR_OPTION_OPENCL_BLAS names "
			 "it: libclblast.so.1");
		return;
	}
	if (!library_open(&instance->libraries, &search, &source, blas->text))
		return;
#define ENTRY(name, parameters)                                  \
	{                                                        \
		const union library_symbol found =               \
			library_find(&source, #name);            \
                                                                 \
		memcpy(&blas->name, &found, sizeof(blas->name)); \
	}
	OCL_CLBLAST_ENTRIES(ENTRY)
#undef ENTRY
	blas->works = true;
	describe(blas);
}

/* Make the struct, and open the library. */
static struct ocl_clblast *make_clblast(dprp_instance *instance)
{
	struct ocl_clblast *blas = dprh_alloc(instance->host, 1, sizeof(*blas));

	if (blas && pthread_mutex_init(&blas->calls, NULL)) {
		dprh_free(instance->host, blas);
		blas = NULL;
	}
	if (blas)
		open_clblast(instance, blas);
	return blas;
}

dprp_rc ocl_clblast_get(dprp_instance *instance, struct ocl_clblast **out)
{
	pthread_mutex_lock(&instance->clblast_lock);
	if (!instance->clblast)
		instance->clblast = make_clblast(instance);
	*out = instance->clblast;
	pthread_mutex_unlock(&instance->clblast_lock);
	if (!*out)
		return dprh_no_memory(instance->host, "CLBlast");
	if ((*out)->works)
		return DPR_RC_OK;
	return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0, "%s",
			 (*out)->text);
}

void ocl_clblast_close(dprp_instance *instance)
{
	struct ocl_clblast *blas = instance->clblast;

	if (!blas)
		return;
	/* The programs that CLBlast keeps hold the driver's contexts. */
	if (blas->works)
		(void)blas->CLBlastClearCache();
	pthread_mutex_destroy(&blas->calls);
	dprh_free(instance->host, blas);
	instance->clblast = NULL;
}

/* --- Failures ------------------------------------------------------------- */

/* What CLBlast's own statuses mean.  It has those of OpenCL, too. */
static const struct {
	int status;
	dprp_rc rc;
	const char *text;
} own[] = {
	{ -1024, DPR_RC_UNSUPPORTED, "the routine is not implemented" },
	{ -1022, DPR_RC_NATIVE, "matrix a is not a valid buffer" },
	{ -1021, DPR_RC_NATIVE, "matrix b is not a valid buffer" },
	{ -1020, DPR_RC_NATIVE, "matrix c is not a valid buffer" },
	{ -1017, DPR_RC_NATIVE, "an extent is 0" },
	{ -1016, DPR_RC_NATIVE, "the leading dimension of a is too small" },
	{ -1015, DPR_RC_NATIVE, "the leading dimension of b is too small" },
	{ -1014, DPR_RC_NATIVE, "the leading dimension of c is too small" },
	{ -1011, DPR_RC_INVALID, "matrix a is larger than its memory" },
	{ -1010, DPR_RC_INVALID, "matrix b is larger than its memory" },
	{ -1009, DPR_RC_INVALID, "matrix c is larger than its memory" },
	{ -2046, DPR_RC_UNSUPPORTED, "the device has too little local memory" },
	{ -2044, DPR_RC_UNSUPPORTED, "the device has no float64" },
	{ -2041, DPR_RC_UNSUPPORTED, "there are no parameters for the device" },
	{ -2040, DPR_RC_NATIVE, "an unknown error" },
	{ -2039, DPR_RC_NATIVE, "an unexpected exception" },
};

/* The ABI's code for a status of OpenCL.  What the driver does not compile or
   start, dpr's own kernel computes. */
static dprp_rc code_of(int status)
{
	switch (status) {
	case CL_BUILD_PROGRAM_FAILURE:
	case CL_INVALID_BUILD_OPTIONS:
	case CL_INVALID_WORK_DIMENSION:
	case CL_INVALID_WORK_GROUP_SIZE:
	case CL_INVALID_WORK_ITEM_SIZE: return DPR_RC_UNSUPPORTED;
	default: return ocl_error_rc(status);
	}
}

dprp_rc ocl_clblast_failed(const dprp_instance *instance, int status,
			   const char *call, bool is_written)
{
	const char *text = ocl_error_name(status);
	dprp_rc rc = code_of(status);

	for (size_t i = 0; i < COUNT(own); i++)
		if (own[i].status == status) {
			text = own[i].text;
			rc = own[i].rc;
		}
	/* UNSUPPORTED would mean that nothing is written. */
	if (rc == DPR_RC_UNSUPPORTED && is_written)
		rc = DPR_RC_NATIVE;
	return dprh_fail(instance->host, rc, status, "%s: %s (%d)", call, text,
			 status);
}
