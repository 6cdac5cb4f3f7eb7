/* SPDX-License-Identifier: Apache-2.0 */
/* ocl_options.c - reading the options, DPR_OPTION_OPENCL_*. */
#include <string.h>

#include "ocl.h"

static const struct {
	const char *word;
	enum ocl_path path;
} ocl_paths[] = {
	{ "usm", OCL_PATH_USM },
	{ "svm-fine", OCL_PATH_SVM_FINE },
	{ "svm-coarse", OCL_PATH_SVM_COARSE },
	{ "buffer", OCL_PATH_BUFFER },
};

const char *ocl_options_path_name(enum ocl_path path)
{
	size_t i;

	for (i = 0; i < sizeof(ocl_paths) / sizeof(ocl_paths[0]); i++)
		if (ocl_paths[i].path == path)
			return ocl_paths[i].word;
	return "none";
}

static const struct {
	const char *word;
	uint64_t when;
} ocl_binary_words[] = {
	{ "never", DPR_BINARIES_NEVER },
	{ "first", DPR_BINARIES_FIRST },
	{ "second", DPR_BINARIES_SECOND },
};

/* Read the option BINARIES. */
static dprp_rc ocl_read_binaries(dprp_instance *instance)
{
	const dprp_host *host = instance->host;
	const char *word = host->option(host->self, "BINARIES");
	size_t i;

	if (!word || !*word)
		return DPR_RC_OK;
	for (i = 0; i < sizeof(ocl_binary_words) / sizeof(ocl_binary_words[0]);
	     i++) {
		if (strcmp(word, ocl_binary_words[i].word) == 0) {
			instance->binaries = &ocl_binary_words[i].when;
			return DPR_RC_OK;
		}
	}
	return dprh_fail(host, DPR_RC_INVALID, 0,
			 "DPR_OPTION_OPENCL_BINARIES is \"%.40s\"; it can be "
			 "never, first or second",
			 word);
}

/* Read the option MEMORY. */
static dprp_rc ocl_read_memory(dprp_instance *instance)
{
	const dprp_host *host = instance->host;
	const char *word = host->option(host->self, "MEMORY");
	size_t i;

	if (!word || !*word)
		return DPR_RC_OK;
	for (i = 0; i < sizeof(ocl_paths) / sizeof(ocl_paths[0]); i++) {
		if (strcmp(word, ocl_paths[i].word) == 0) {
			instance->forced = ocl_paths[i].path;
			return DPR_RC_OK;
		}
	}
	return dprh_fail(
		host, DPR_RC_INVALID, 0,
		"DPR_OPTION_OPENCL_MEMORY is \"%.40s\"; it can be usm, svm-fine, "
		"svm-coarse or buffer",
		word);
}

/* Read the option NATIVE. */
static dprp_rc ocl_read_native(dprp_instance *instance)
{
	const dprp_host *host = instance->host;
	const char *word = host->option(host->self, "NATIVE");

	instance->native = !word || strcmp(word, "no") != 0;
	if (!word || !*word || !instance->native || strcmp(word, "yes") == 0)
		return DPR_RC_OK;
	return dprh_fail(host, DPR_RC_INVALID, 0,
			 "DPR_OPTION_OPENCL_NATIVE is \"%.40s\"; it can be yes "
			 "or no",
			 word);
}

dprp_rc ocl_options_read(dprp_instance *instance)
{
	dprp_rc rc = ocl_read_memory(instance);

	if (rc == DPR_RC_OK)
		rc = ocl_read_binaries(instance);
	return rc == DPR_RC_OK ? ocl_read_native(instance) : rc;
}
