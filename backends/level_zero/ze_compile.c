/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_compile.c - compiling OpenCL C to SPIR-V, with Intel's offline compiler
 * ocloc or with clang and llvm-spirv; and finding out whether the driver itself
 * compiles OpenCL C.
 *
 * These compilers run as child processes.  ocloc exists as a library too, but
 * it writes to the program's standard output when a source has errors, and a
 * compiler may abort.
 */
#include "ze_programs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_PATH 512
/* The newest and the oldest version of LLVM to look for. */
#define LLVM_NEWEST 22
#define LLVM_OLDEST 14
/* ocloc's exit status (-33) if it does not know the device. */
#define OCLOC_NO_DEVICE 223

/* --- Options -------------------------------------------------------------- */

static dprp_rc check_path(dprp_instance *instance, const char *key,
			  const char *value, const char *what)
{
	if (!value || *value == '/')
		return DPR_RC_OK;
	return dprh_fail(instance->host, DPR_RC_INVALID, 0,
			 "DPR_OPTION_LEVEL_ZERO_%s must be the absolute "
			 "path of %s; it is \"%.200s\"",
			 key, what, value);
}

static const char *read_option(dprp_instance *instance, const char *key)
{
	const dprp_host *host = instance->host;
	const char *value = host->option(host->self, key);

	return value && *value ? value : NULL;
}

/* Whether the option COMPILER allows @compiler. */
static bool is_wanted(const dprp_instance *instance, const char *compiler)
{
	return !instance->compiler || strcmp(instance->compiler, compiler) == 0;
}

dprp_rc ze_compile_read_options(dprp_instance *instance)
{
	dprp_rc rc;

	instance->ocloc = read_option(instance, "OCLOC");
	rc = check_path(instance, "OCLOC", instance->ocloc,
			"the program ocloc");
	if (rc)
		return rc;
	instance->llvm = read_option(instance, "LLVM");
	rc = check_path(instance, "LLVM", instance->llvm,
			"the folder of clang and llvm-spirv");
	if (rc)
		return rc;
	instance->compiler = read_option(instance, "COMPILER");
	if (is_wanted(instance, "ocloc") || is_wanted(instance, "clang") ||
	    is_wanted(instance, "driver"))
		return DPR_RC_OK;
	return dprh_fail(instance->host, DPR_RC_INVALID, 0,
			 "DPR_OPTION_LEVEL_ZERO_COMPILER is \"%.40s\"; "
			 "it can be ocloc, clang or driver",
			 instance->compiler);
}

static void write_log(dprp_sink log, const void *bytes, size_t size)
{
	const char *text = bytes;

	while (size && (text[size - 1] == '\0' || text[size - 1] == '\n'))
		size--;
	if (!log.write || !size)
		return;
	log.write(log.user, text, size);
	log.write(log.user, "\n", 1);
}

/* --- Intel's offline compiler --------------------------------------------- */

static const char *find_ocloc(const dprp_instance *instance)
{
	static const char *const paths[] = { "/usr/bin/ocloc",
					     "/usr/local/bin/ocloc" };
	size_t i;

	if (instance->ocloc)
		return access(instance->ocloc, X_OK) ? NULL : instance->ocloc;
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (access(paths[i], X_OK) == 0)
			return paths[i];
	return NULL;
}

static dprp_rc read_file(const dprp_host *host, const char *path,
			 struct ze_bytes *out)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	dprp_rc rc;

	if (file < 0)
		return dprh_fail(host, DPR_RC_BUILD, errno,
				 "ocloc wrote no SPIR-V to %s", path);
	rc = ze_child_read(host, file, out);
	close(file);
	return rc;
}

/* Compile with ocloc, which writes its files to @folder. */
static dprp_rc run_ocloc_in(dprp_device *device, const char *path,
			    const dprp_image *image, const char *options,
			    const char *folder, dprp_sink log,
			    struct ze_bytes *out)
{
	const dprp_host *host = device->instance->host;
	char number[16], file[64];
	const char *const argv[] = {
		path,         "compile", "-spv_only", "-file",
		"/dev/stdin", "-device", number,      "-out_dir",
		folder,       "-output", "program",   "-output_no_suffix",
		"-options",   options,   NULL
	};
	struct ze_bytes text, errors;
	int status = 0;
	dprp_rc rc;

	snprintf(number, sizeof(number), "0x%04x",
		 (unsigned)device->properties.deviceId);
	snprintf(file, sizeof(file), "%s/program.spv", folder);
	rc = ze_child_run(host, argv, image->data, (size_t)image->size, &text,
			  &errors, &status);
	if (rc != DPR_RC_INVALID || status != OCLOC_NO_DEVICE) {
		write_log(log, text.bytes, text.size);
		write_log(log, errors.bytes, errors.size);
	}
	if (rc == DPR_RC_INVALID)
		rc = status == OCLOC_NO_DEVICE
			     ? DPR_RC_NO_PATH
			     : dprh_fail(host, DPR_RC_BUILD, status,
					 "%.200s failed to compile the source",
					 path);
	if (!rc)
		rc = read_file(host, file, out);
	/* ocloc may have written it even after an error. */
	unlink(file);
	dprh_free(host, text.bytes);
	dprh_free(host, errors.bytes);
	return rc;
}

/* Compile with ocloc.  NO_PATH: ocloc cannot be used here, and @why has the
   reason. */
static dprp_rc run_ocloc(dprp_device *device, const dprp_image *image,
			 const char *options, dprp_sink log,
			 struct ze_bytes *out, char *why, size_t room)
{
	const dprp_host *host = device->instance->host;
	const char *path = find_ocloc(device->instance);
	char folder[] = P_tmpdir "/dpr-ocloc-XXXXXX";
	dprp_rc rc;

	snprintf(why, room, "%.200s is not installed",
		 device->instance->ocloc ? device->instance->ocloc : "ocloc");
	if (!path)
		return DPR_RC_NO_PATH;
	/* ocloc can write its result only to a file. */
	if (!mkdtemp(folder))
		return dprh_fail(host, DPR_RC_INTERNAL, errno,
				 "cannot make a folder for ocloc in " P_tmpdir
				 ": errno %d",
				 errno);
	rc = run_ocloc_in(device, path, image, options, folder, log, out);
	rmdir(folder);
	if (rc == DPR_RC_NO_PATH)
		snprintf(why, room, "%.200s does not know the device 0x%04x",
			 path, (unsigned)device->properties.deviceId);
	return rc;
}

/* --- clang and llvm-spirv ------------------------------------------------- */

/* The two programs, from the same version of LLVM. */
struct llvm {
	char clang[MAX_PATH], translator[MAX_PATH];
};

/* Look for both programs in a folder, with a suffix to their names. */
static bool look_in(struct llvm *llvm, const char *folder, const char *suffix)
{
	snprintf(llvm->clang, MAX_PATH, "%s/clang%s", folder, suffix);
	snprintf(llvm->translator, MAX_PATH, "%s/llvm-spirv%s", folder, suffix);
	return access(llvm->clang, X_OK) == 0 &&
	       access(llvm->translator, X_OK) == 0;
}

/* Find both programs: those without a suffix, or else the newest version.  Only
   folders of the system are searched, so that no environment variable can name
   other programs. */
static bool find_llvm(const dprp_instance *instance, struct llvm *llvm)
{
	static const char *const folders[] = { "/usr/bin", "/usr/local/bin" };
	const char *folder = instance->llvm;
	char suffix[16];
	size_t i;
	int n;

	for (i = 0; i < 2; i++) {
		if (!instance->llvm)
			folder = folders[i];
		if (look_in(llvm, folder, ""))
			return true;
		for (n = LLVM_NEWEST; n >= LLVM_OLDEST; n--) {
			snprintf(suffix, sizeof(suffix), "-%d", n);
			if (look_in(llvm, folder, suffix))
				return true;
		}
	}
	return false;
}

/* Split @text at blanks that are not between quotation marks, remove the marks,
   and append the words to @argv.  This changes @text. */
static uint32_t split_words(char *text, const char **argv, uint32_t n)
{
	char *to = text, quote = '\0';
	bool inside = false;

	for (; *text; text++) {
		if (!quote && strchr(" \t\r\n", *text)) {
			if (inside)
				*to++ = '\0';
			inside = false;
			continue;
		}
		if (!inside)
			argv[n++] = to;
		inside = true;
		if (quote ? *text == quote : *text == '"' || *text == '\'')
			quote = quote ? '\0' : *text;
		else
			*to++ = *text;
	}
	*to = '\0';
	return n;
}

static dprp_rc run_clang(const dprp_host *host, const struct llvm *llvm,
			 const dprp_image *image, const char *options,
			 dprp_sink log, struct ze_bytes *bitcode)
{
	static const char *const fixed[] = { "-x",
					     "cl",
					     "-target",
					     "spir64-unknown-unknown",
					     "-Xclang",
					     "-finclude-default-header",
					     "-O2",
					     "-Xclang",
					     "-disable-llvm-passes",
					     "-emit-llvm",
					     "-c",
					     "-o",
					     "-" };
	enum { N_FIXED = sizeof(fixed) / sizeof(fixed[0]) };
	const size_t length = strlen(options) + 1;
	struct ze_bytes errors;
	const char **argv;
	uint32_t i, n = 0;
	char *copy;
	dprp_rc rc;

	argv = dprh_alloc(host, 1,
			  (N_FIXED + length / 2 + 4) * sizeof(*argv) + length);
	if (!argv)
		return dprh_no_memory(host, "a compiler's options");
	copy = (char *)(argv + N_FIXED + length / 2 + 4);
	memcpy(copy, options, length);
	argv[n++] = llvm->clang;
	for (i = 0; i < N_FIXED; i++)
		argv[n++] = fixed[i];
	n = split_words(copy, argv, n);
	argv[n++] = "-";
	rc = ze_child_run(host, argv, image->data, (size_t)image->size, bitcode,
			  &errors, NULL);
	write_log(log, errors.bytes, errors.size);
	if (rc == DPR_RC_INVALID)
		rc = dprh_fail(host, DPR_RC_BUILD, 0,
			       "%.200s failed to compile the source",
			       llvm->clang);
	dprh_free(host, errors.bytes);
	dprh_free(host, argv);
	return rc;
}

static dprp_rc run_translator(const dprp_host *host, const struct llvm *llvm,
			      const struct ze_bytes *bitcode, dprp_sink log,
			      struct ze_bytes *out)
{
	const char *const argv[] = { llvm->translator,
				     "--spirv-max-version=1.2",
				     "-",
				     "-o",
				     "-",
				     NULL };
	struct ze_bytes errors;
	dprp_rc rc = ze_child_run(host, argv, bitcode->bytes, bitcode->size,
				  out, &errors, NULL);

	write_log(log, errors.bytes, errors.size);
	if (rc == DPR_RC_INVALID)
		rc = dprh_fail(host, DPR_RC_BUILD, 0,
			       "%.200s failed to translate the output "
			       "of clang to SPIR-V",
			       llvm->translator);
	dprh_free(host, errors.bytes);
	return rc;
}

/* Compile with clang and llvm-spirv.  NO_PATH: they are not installed. */
static dprp_rc run_llvm(dprp_instance *instance, const dprp_image *image,
			const char *options, dprp_sink log,
			struct ze_bytes *out)
{
	const dprp_host *host = instance->host;
	struct ze_bytes bitcode = { 0 };
	struct llvm llvm;
	dprp_rc rc;

	if (!find_llvm(instance, &llvm))
		return DPR_RC_NO_PATH;
	rc = run_clang(host, &llvm, image, options, log, &bitcode);
	if (!rc)
		rc = run_translator(host, &llvm, &bitcode, log, out);
	dprh_free(host, bitcode.bytes);
	return rc;
}

/* --- The driver's own compiler -------------------------------------------- */

/* Have the driver compile an empty kernel. */
static ze_result_t try_driver(dprp_device *device)
{
	static const char text[] = "kernel void dpr_try(void) {}";
	const ze_context_desc_t context_desc = {
		.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC
	};
	const ze_module_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
					.format = ZE_NEWER_FORMAT_SOURCE,
					.inputSize = sizeof(text) - 1,
					.pInputModule = (const uint8_t *)text };
	const struct ze_api *ze = &device->instance->ze;
	ze_context_handle_t context;
	ze_module_handle_t module;
	ze_result_t result = ze->zeContextCreate(device->driver->ze,
						 &context_desc, &context);

	if (result)
		return result;
	result = ze->zeModuleCreate(context, device->ze, &desc, &module, NULL);
	if (!result)
		ze->zeModuleDestroy(module);
	ze->zeContextDestroy(context);
	return result;
}

bool ze_compile_by_driver(dprp_device *device)
{
	atomic_int *compiles = &device->driver->compiles;
	ze_result_t result;

	if (!is_wanted(device->instance, "driver") ||
	    ze_compile_is_there(device->instance))
		return false;
	if (!atomic_load(compiles)) {
		result = try_driver(device);
		if (result != ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY &&
		    result != ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)
			atomic_store(compiles, result ? -1 : 1);
	}
	return atomic_load(compiles) > 0;
}

/* --- Any of them ---------------------------------------------------------- */

bool ze_compile_is_there(dprp_instance *instance)
{
	struct llvm llvm;

	return (is_wanted(instance, "ocloc") && find_ocloc(instance)) ||
	       (is_wanted(instance, "clang") && find_llvm(instance, &llvm));
}

/* Fail with a text that names each missing compiler.  @ocloc is the reason why
   ocloc cannot be used. */
static dprp_rc missing(dprp_instance *instance, const char *ocloc)
{
	static const char driver[] = "the driver takes no OpenCL C";
	static const char advice[] =
		"install intel-ocloc (on Debian 12 intel-opencl-icd), or "
		"clang and llvm-spirv (version 15; on Debian 13, 19), or give "
		"the program as SPIR-V";
	const dprp_host *host = instance->host;
	const char *only = instance->compiler;
	char clang[300];

	snprintf(clang, sizeof(clang),
		 "clang and llvm-spirv of the same version are not in %.200s",
		 instance->llvm ? instance->llvm : "/usr/bin");
	if (!only)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "no compiler for OpenCL C was found: "
				 "%.200s, %s, and %s; %s",
				 ocloc, clang, driver, advice);
	return dprh_fail(
		host, DPR_RC_UNSUPPORTED, 0,
		"OpenCL C needs a compiler: DPR_OPTION_LEVEL_ZERO_COMPILER "
		"asks for %s alone, and %.300s: %s",
		only,
		is_wanted(instance, "ocloc")   ? ocloc
		: is_wanted(instance, "clang") ? clang
					       : driver,
		advice);
}

dprp_rc ze_compile_missing(dprp_instance *instance)
{
	return missing(instance, "ocloc is not installed");
}

dprp_rc ze_compile_source(dprp_device *device, const dprp_image *image,
			  const char *options, dprp_sink log,
			  struct ze_bytes *out)
{
	dprp_instance *instance = device->instance;
	const dprp_host *host = instance->host;
	const size_t length = options ? strlen(options) : 0;
	char why[300] = "", *all;
	dprp_rc rc = DPR_RC_NO_PATH;

	*out = (struct ze_bytes){ 0 };
	all = dprh_alloc(host, length + 32, 1);
	if (!all)
		return dprh_no_memory(host, "a compiler's options");
	snprintf(all, length + 32, "%s%s",
		 options && strstr(options, "-cl-std=") ? "" : "-cl-std=CL1.2 ",
		 options ? options : "");
	if (is_wanted(instance, "ocloc"))
		rc = run_ocloc(device, image, all, log, out, why, sizeof(why));
	if (rc == DPR_RC_NO_PATH && is_wanted(instance, "clang"))
		rc = run_llvm(instance, image, all, log, out);
	if (rc == DPR_RC_NO_PATH)
		rc = missing(instance, why);
	if (rc) {
		dprh_free(host, out->bytes);
		*out = (struct ze_bytes){ 0 };
	}
	dprh_free(host, all);
	return rc;
}
