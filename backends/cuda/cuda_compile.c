/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_compile.c - code for a device: PTX by the driver, OpenCL C by NVRTC. */
#include "cuda_programs.h"

#include <stdlib.h>

#include "backends/cuda/rewrite/cuda_ptx.h"
#include "backends/cuda/rewrite/cuda_rewrite.h"

#define LOG_SIZE 16384
#define MAX_OPTIONS 16

/* The entries of NVRTC: X(result, name, parameters). */
#define NVRTC_ENTRIES(X)                                              \
	X(nvrtcVersion, (int *major, int *minor))                     \
	X(nvrtcGetNumSupportedArchs, (int *n))                        \
	X(nvrtcGetSupportedArchs, (int *archs))                       \
	X(nvrtcCreateProgram,                                         \
	  (void **program, const char *text, const char *name, int n, \
	   const char *const *headers, const char *const *names))     \
	X(nvrtcDestroyProgram, (void **program))                      \
	X(nvrtcCompileProgram,                                        \
	  (void *program, int n, const char *const *options))         \
	X(nvrtcGetProgramLogSize, (void *program, size_t *size))      \
	X(nvrtcGetProgramLog, (void *program, char *log))             \
	X(nvrtcGetPTXSize, (void *program, size_t *size))             \
	X(nvrtcGetPTX, (void *program, char *ptx))                    \
	X(nvrtcGetCUBINSize, (void *program, size_t *size))           \
	X(nvrtcGetCUBIN, (void *program, char *cubin))

enum { /* results of NVRTC */
       NVRTC_OK = 0,
       NVRTC_NO_MEMORY = 1,
       NVRTC_BAD_SOURCE = 6
};

struct cuda_compiler {
#define ENTRY(name, parameters) int(*name) parameters;
	NVRTC_ENTRIES(ENTRY)
#undef ENTRY
	const char *(*nvrtcGetErrorString)(int result);
	int major, minor;
	int *archs; /* sorted; 90 is sm_90 */
	int n_archs;
};

static void log_text(dprp_sink log, const char *text)
{
	const size_t size = text ? strlen(text) : 0;

	if (!log.write || !size)
		return;
	log.write(log.user, text, size);
	if (text[size - 1] != '\n')
		log.write(log.user, "\n", 1);
}

/* --- PTX ------------------------------------------------------------------ */

/* The output of the driver's assembler, and its result. */
struct assembly {
	CUlinkState state;
	char *info, *errors;
	const char *call;
};

static CUresult assemble(const struct cuda_api *cu, struct assembly *a,
			 char *text, size_t size, void **cubin, size_t *n)
{
	CUjit_option options[] = { CU_JIT_INFO_LOG_BUFFER,
				   CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
				   CU_JIT_ERROR_LOG_BUFFER,
				   CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	/* The driver wants this number as a pointer. */
	void *values[] = { a->info, (void *)(uintptr_t)LOG_SIZE, a->errors,
			   (void *)(uintptr_t)LOG_SIZE };
	CUresult error;

	a->call = "cuLinkCreate";
	error = cu->cuLinkCreate(4, options, values, &a->state);
	if (error) {
		a->state = NULL;
		return error;
	}
	a->call = "cuLinkAddData";
	error = cu->cuLinkAddData(a->state, CU_JIT_INPUT_PTX, text, size,
				  "program", 0, NULL, NULL);
	if (error)
		return error;
	a->call = "cuLinkComplete";
	return cu->cuLinkComplete(a->state, cubin, n);
}

/* Report that the assembler failed. */
static dprp_rc assembly_failed(dprp_context *context, const struct assembly *a,
			       CUresult error)
{
	dprp_instance *instance = context->instance;
	const int version = instance->cu.version;

	switch (error) {
	case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
		return dprh_fail(
			instance->host, DPR_RC_UNSUPPORTED, error,
			"%s: %s: the PTX is newer than the driver, which is "
			"for CUDA %d.%d",
			a->call, cuda_error_name(instance, error),
			version / 1000, version % 1000 / 10);
	case CUDA_ERROR_INVALID_PTX:
	case CUDA_ERROR_INVALID_IMAGE:
	case CUDA_ERROR_INVALID_SOURCE:
	case CUDA_ERROR_NO_BINARY_FOR_GPU:
		return dprh_fail(instance->host, DPR_RC_BUILD, error,
				 "%s: %s (%d)", a->call,
				 cuda_error_name(instance, error), (int)error);
	default: return cuda_error_check_device(context->root, error, a->call);
	}
}

/* Copy the assembled code to @out: the original belongs to the driver. */
static dprp_rc keep(dprp_context *context, const void *bytes, size_t size,
		    struct cuda_code *out)
{
	const dprp_host *host = context->instance->host;

	if (!cuda_table_is_cubin(bytes, size))
		return dprh_fail(
			host, DPR_RC_BUILD, 0,
			"the driver assembled the PTX to something other "
			"than a cubin");
	out->bytes = dprh_alloc(host, size, 1);
	if (!out->bytes)
		return dprh_no_memory(host, "a program's code");
	memcpy(out->bytes, bytes, size);
	out->size = size;
	return DPR_RC_OK;
}

/* Assemble @text, which ends with a zero; @size includes the zero. */
static dprp_rc assemble_text(dprp_context *context, char *text, size_t size,
			     dprp_sink log, struct cuda_code *out)
{
	dprp_instance *instance = context->instance;
	const struct cuda_api *cu = &instance->cu;
	struct assembly a = { 0 };
	void *cubin = NULL;
	CUresult error;
	bool entered;
	dprp_rc rc;
	size_t n = 0;

	a.info = dprh_alloc(instance->host, 2, LOG_SIZE);
	if (!a.info)
		return dprh_no_memory(instance->host, "the assembler's log");
	a.errors = a.info + LOG_SIZE;
	a.call = "cuCtxPushCurrent";
	error = cuda_context_enter(cu, context->scope.cu, &entered);
	if (!error)
		error = assemble(cu, &a, text, size, &cubin, &n);
	a.info[LOG_SIZE - 1] = a.errors[LOG_SIZE - 1] = '\0';
	log_text(log, a.info);
	log_text(log, a.errors);
	/* If the assembler wrote no error, log the name of its result. */
	if (error && !*a.errors)
		log_text(log, cuda_error_name(instance, error));
	rc = error ? assembly_failed(context, &a, error)
		   : keep(context, cubin, n, out);
	if (a.state)
		cu->cuLinkDestroy(a.state);
	cuda_context_leave(cu, entered);
	dprh_free(instance->host, a.info);
	return rc;
}

dprp_rc cuda_compile_ptx(dprp_context *context, const char *text, size_t size,
			 dprp_sink log, struct cuda_code *out)
{
	const dprp_host *host = context->instance->host;
	char *copy = NULL;
	dprp_rc rc;

	/* The driver wants a zero at the end; its argument is not const. */
	if (!size || text[size - 1]) {
		copy = dprh_alloc(host, size + 1, 1);
		if (!copy)
			return dprh_no_memory(host, "PTX");
		memcpy(copy, text, size);
		size++;
	}
	rc = assemble_text(context, copy ? copy : (char *)(uintptr_t)text, size,
			   log, out);
	dprh_free(host, copy);
	return rc;
}

/* --- NVRTC ---------------------------------------------------------------- */

dprp_rc cuda_compile_check_option(dprp_instance *instance)
{
	if (!instance->nvrtc || *instance->nvrtc == '/')
		return DPR_RC_OK;
	return dprh_fail(instance->host, DPR_RC_INVALID, 0,
			 "DPR_OPTION_CUDA_NVRTC must be the absolute "
			 "path of libnvrtc.so; it is \"%.200s\"",
			 instance->nvrtc);
}

static void compiler_free(const dprp_host *host, struct cuda_compiler *compiler)
{
	if (compiler)
		dprh_free(host, compiler->archs);
	dprh_free(host, compiler);
}

void cuda_compile_close(dprp_instance *instance)
{
	compiler_free(instance->host, instance->compiler);
	instance->compiler = NULL;
}

/* Open NVRTC: the library that the option names.  Without the option, open the
   one for the driver's version of CUDA, or else one of another version, whose
   code the driver may not accept. */
static void *open_library(dprp_instance *instance)
{
	static const char *const names[2][4] = {
		{ "libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13",
		  "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.12" },
		{ "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.12",
		  "libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13" }
	};
	const dprp_host *host = instance->host;

	if (instance->nvrtc)
		return host->driver_open(host->self, &instance->nvrtc, 1);
	return host->driver_open(host->self,
				 names[instance->cu.version < 13000], 4);
}

static bool find_entries(const dprp_host *host, void *library,
			 struct cuda_compiler *compiler)
{
	void *entry;

#define ENTRY(name, parameters)                               \
	entry = host->driver_sym(host->self, library, #name); \
	if (!entry)                                           \
		return false;                                 \
	memcpy(&compiler->name, &entry, sizeof(entry));
	NVRTC_ENTRIES(ENTRY)
	ENTRY(nvrtcGetErrorString, )
#undef ENTRY
	return true;
}

/* Open NVRTC.  Returns NULL if there is none or if memory runs out; *@no_memory
   tells which. */
static struct cuda_compiler *open_compiler(dprp_instance *instance,
					   bool *no_memory)
{
	const dprp_host *host = instance->host;
	void *library = open_library(instance);
	struct cuda_compiler *compiler;
	int n = 0;

	*no_memory = false;
	if (!library)
		return NULL;
	compiler = dprh_alloc(host, 1, sizeof(*compiler));
	*no_memory = !compiler;
	if (!compiler)
		return NULL;
	if (find_entries(host, library, compiler) &&
	    !compiler->nvrtcVersion(&compiler->major, &compiler->minor) &&
	    !compiler->nvrtcGetNumSupportedArchs(&n) && n > 0) {
		compiler->archs = dprh_alloc(host, (size_t)n, sizeof(int));
		*no_memory = !compiler->archs;
	}
	if (!compiler->archs ||
	    compiler->nvrtcGetSupportedArchs(compiler->archs)) {
		compiler_free(host, compiler);
		return NULL;
	}
	compiler->n_archs = n;
	return compiler;
}

/* Get NVRTC, which is opened when it is first needed; NULL if there is none. */
static struct cuda_compiler *get_compiler(dprp_instance *instance)
{
	struct cuda_compiler *compiler, *ours = NULL;
	bool no_memory;

	pthread_mutex_lock(&instance->lock);
	compiler = instance->compiler;
	pthread_mutex_unlock(&instance->lock);
	if (compiler)
		return compiler;
	/* Loading takes a while, so it is done without the lock. */
	ours = open_compiler(instance, &no_memory);
	pthread_mutex_lock(&instance->lock);
	instance->compiler_no_memory = no_memory;
	if (!instance->compiler) {
		instance->compiler = ours;
		ours = NULL;
	}
	compiler = instance->compiler;
	pthread_mutex_unlock(&instance->lock);
	compiler_free(instance->host, ours);
	return compiler;
}

bool cuda_compile_is_there(dprp_instance *instance)
{
	return get_compiler(instance) != NULL;
}

dprp_rc cuda_compile_missing(dprp_instance *instance)
{
	const int version = instance->cu.version;
	bool no_memory;

	pthread_mutex_lock(&instance->lock);
	no_memory = instance->compiler_no_memory;
	pthread_mutex_unlock(&instance->lock);
	if (no_memory)
		return dprh_no_memory(instance->host, "NVRTC");
	if (instance->nvrtc)
		return dprh_fail(
			instance->host, DPR_RC_UNSUPPORTED, 0,
			"OpenCL C needs NVRTC, but %.300s (from "
			"DPR_OPTION_CUDA_NVRTC) is not NVRTC or does not load",
			instance->nvrtc);
	return dprh_fail(
		instance->host, DPR_RC_UNSUPPORTED, 0,
		"OpenCL C needs NVRTC, which is not installed: install "
		"cuda-nvrtc-%d-%d from NVIDIA's repository for the system, or "
		"nvidia-cuda-nvrtc%s with pip and set DPR_OPTION_CUDA_NVRTC to "
		"the path of its libnvrtc.so.%d",
		version / 1000, version % 1000 / 10,
		version < 13000 ? "-cu12" : "", version / 1000);
}

/* --- OpenCL C ------------------------------------------------------------- */

/* One compilation. */
struct job {
	dprp_context *context;
	const struct cuda_compiler *nvrtc;
	struct cuda_rewrite rewrite;
	dprp_sink log;
	int arch;
	bool exact; /* arch is the device's own, so make a cubin */
	void *program;
};

/* Choose the compute capability to compile for: the device's, or else the
   newest older one that NVRTC supports. */
static dprp_rc choose_arch(struct job *job)
{
	const dprp_device *root = job->context->root;
	const int wanted = root->major * 10 + root->minor;
	int i;

	for (i = 0; i < job->nvrtc->n_archs; i++)
		if (job->nvrtc->archs[i] <= wanted &&
		    job->nvrtc->archs[i] > job->arch)
			job->arch = job->nvrtc->archs[i];
	job->exact = job->arch == wanted;
	if (job->arch)
		return DPR_RC_OK;
	return dprh_fail(
		job->context->instance->host, DPR_RC_UNSUPPORTED, 0,
		"NVRTC %d.%d makes no code for compute capability %d.%d: "
		"install NVRTC 12 (cuda-nvrtc-12-9)",
		job->nvrtc->major, job->nvrtc->minor, root->major, root->minor);
}

/* Choose the options of NVRTC.  Their texts are in memory of the rewriter,
   whose `failed` tells whether that has run out. */
static int choose_options(struct job *job, bool wanted, const char **list)
{
	struct cuda_strings *strings = &job->rewrite.strings;
	const struct cuda_options *given = &job->rewrite.options;
	const bool rounded = wanted || given->rounded;
	const bool loose = (given->fast || given->unsafe) && !rounded;
	int n = 0;
	unsigned i;

	list[n++] =
		cuda_strings_format(strings, "--gpu-architecture=%s_%d",
				    job->exact ? "sm" : "compute", job->arch);
	list[n++] = "--device-as-default-execution-space";
	list[n++] = "--std=c++20";
	/* No warnings about unused variables, expressions without effect and
	   conversions that only C allows. */
	list[n++] = "--diag-suppress=177,550,2361";
	if (given->fast && !rounded) {
		list[n++] = "--use_fast_math";
	} else {
		list[n++] = loose ? "--prec-div=false" : "--prec-div=true";
		list[n++] = loose ? "--prec-sqrt=false" : "--prec-sqrt=true";
		list[n++] = given->zero_denormals || given->fast
				    ? "--ftz=true"
				    : "--ftz=false";
	}
	list[n++] = job->rewrite.contract ? "--fmad=true" : "--fmad=false";
	if (given->lines)
		list[n++] = "--generate-line-info";
	if (given->quiet)
		list[n++] = "--disable-warnings";
	for (i = 0; i < given->n_include; i++)
		list[n++] = given->include[i];
	return n;
}

static void write_log(struct job *job, bool failed)
{
	const dprp_host *host = job->context->instance->host;
	size_t size = 0;
	char *text;

	if (!job->log.write)
		return;
	if (!job->nvrtc->nvrtcGetProgramLogSize(job->program, &size) &&
	    size > 1) {
		text = dprh_alloc(host, size + 1, 1);
		if (text && !job->nvrtc->nvrtcGetProgramLog(job->program, text))
			log_text(job->log, text);
		dprh_free(host, text);
	}
	if (!failed || !job->rewrite.image_line)
		return;
	log_text(job->log,
		 cuda_strings_format(
			 &job->rewrite.strings,
			 "<source>(%u): error: the CUDA backend does not "
			 "support images and samplers",
			 job->rewrite.image_line));
}

static dprp_rc nvrtc_failed(struct job *job, int result, const char *call)
{
	const dprp_host *host = job->context->instance->host;
	const char *text = job->nvrtc->nvrtcGetErrorString(result);

	return dprh_fail(host,
			 result == NVRTC_NO_MEMORY    ? DPR_RC_OOM_HOST
			 : result == NVRTC_BAD_SOURCE ? DPR_RC_BUILD
						      : DPR_RC_NATIVE,
			 result, "%s: %s (%d)", call,
			 text ? text : "an unknown error", result);
}

/* Get the result: a cubin, or PTX that the driver has to assemble. */
static dprp_rc take_code(struct job *job, struct cuda_code *out)
{
	const struct cuda_compiler *nvrtc = job->nvrtc;
	const dprp_host *host = job->context->instance->host;
	size_t size = 0;
	char *bytes;
	dprp_rc rc;
	int result = job->exact ? nvrtc->nvrtcGetCUBINSize(job->program, &size)
				: nvrtc->nvrtcGetPTXSize(job->program, &size);

	if (result || !size)
		return nvrtc_failed(job, result,
				    job->exact ? "nvrtcGetCUBINSize"
					       : "nvrtcGetPTXSize");
	bytes = dprh_alloc(host, size, 1);
	if (!bytes)
		return dprh_no_memory(host, "a program's code");
	result = job->exact ? nvrtc->nvrtcGetCUBIN(job->program, bytes)
			    : nvrtc->nvrtcGetPTX(job->program, bytes);
	if (result) {
		dprh_free(host, bytes);
		return nvrtc_failed(job, result,
				    job->exact ? "nvrtcGetCUBIN"
					       : "nvrtcGetPTX");
	}
	if (job->exact) {
		out->bytes = bytes;
		out->size = size;
		return DPR_RC_OK;
	}
	rc = cuda_compile_ptx(job->context, bytes, size, job->log, out);
	dprh_free(host, bytes);
	return rc;
}

static dprp_rc compile(struct job *job, bool rounded, struct cuda_code *out)
{
	const struct cuda_compiler *nvrtc = job->nvrtc;
	const dprp_host *host = job->context->instance->host;
	const char **options;
	int n, result;
	dprp_rc rc;

	options = dprh_alloc(host, MAX_OPTIONS + job->rewrite.options.n_include,
			     sizeof(*options));
	if (!options)
		return dprh_no_memory(host, "a compiler's options");
	n = choose_options(job, rounded, options);
	if (job->rewrite.strings.failed) {
		dprh_free(host, options);
		return dprh_no_memory(host, "a compiler's options");
	}
	result = nvrtc->nvrtcCreateProgram(&job->program,
					   job->rewrite.text.bytes, "<program>",
					   0, NULL, NULL);
	if (result) {
		dprh_free(host, options);
		return nvrtc_failed(job, result, "nvrtcCreateProgram");
	}
	result = nvrtc->nvrtcCompileProgram(job->program, n, options);
	write_log(job, result != NVRTC_OK);
	rc = result ? nvrtc_failed(job, result, "nvrtcCompileProgram")
		    : take_code(job, out);
	nvrtc->nvrtcDestroyProgram(&job->program);
	dprh_free(host, options);
	return rc;
}

/* Rewrite the source and compile it.  @out gets the code and its table of
   kernels. */
static dprp_rc run(struct job *job, const dprp_image *image,
		   const char *options, bool rounded, struct cuda_code *out)
{
	const dprp_host *host = job->context->instance->host;
	dprp_rc rc = cuda_rewrite_source(&job->rewrite, host, image->data,
					 (size_t)image->size, options);

	log_text(job->log, job->rewrite.log.bytes);
	if (rc == DPR_RC_INVALID)
		return dprh_fail(host, DPR_RC_BUILD, 0,
				 "the source or its options are not "
				 "supported by the CUDA backend: see "
				 "the build log");
	if (rc)
		return dprh_no_memory(host, "a source in OpenCL C");
	rc = compile(job, rounded, out);
	if (!rc) {
		out->table = job->rewrite.table;
		job->rewrite.table =
			(struct cuda_table){ .strings.host = host };
	}
	return rc;
}

dprp_rc cuda_compile_source(dprp_context *context, const dprp_image *image,
			    const char *options, bool rounded, dprp_sink log,
			    struct cuda_code *out)
{
	struct job *job;
	dprp_rc rc;

	job = dprh_alloc(context->instance->host, 1, sizeof(*job));
	if (!job)
		return dprh_no_memory(context->instance->host, "a compilation");
	job->context = context;
	job->log = log;
	job->nvrtc = get_compiler(context->instance);
	rc = job->nvrtc ? choose_arch(job)
			: cuda_compile_missing(context->instance);
	if (!rc) {
		rc = run(job, image, options, rounded, out);
		cuda_rewrite_free(&job->rewrite);
	}
	dprh_free(context->instance->host, job);
	return rc;
}
