/* SPDX-License-Identifier: Apache-2.0 */
/* unit_faults_files.c - arrays from and to files with faults. */
#include <unistd.h>

#include "tests/support/faults.h"

/* Check that @x has the elements 0, 1, ... and release it. */
static dpr_status counted(dpr_status status, dpr_array *x)
{
	int32_t have[42];

	MADE(status, x);
	if (!status)
		status = dpr_array_to_memory(x, have, sizeof(have), NULL);
	for (int i = 0; !status && i < 42; i++)
		ck_assert_int_eq(have[i], i);
	dpr_array_release(x);
	return status;
}

/* Save an array to a stream and load it again. */
static dpr_status try_stream(void)
{
	FILE *file = tmpfile();
	dpr_array *x = NULL;
	dpr_status status;

	ck_assert_ptr_nonnull(file);
	status = dpr_npy_save(matrix, file);
	rewind(file);
	if (!status)
		status = dpr_npy_load(file, q1, &x);
	fclose(file);
	return counted(status, x);
}

/* Replace a file, and load it into HOST memory. */
static dpr_status try_name(void)
{
	char name[] = "/tmp/dpr-faults.XXXXXX";
	const int fd = mkstemp(name);
	dpr_array *x = NULL, *y = NULL;
	dpr_status status;

	ck_assert_int_ge(fd, 0);
	close(fd);
	status = dpr_npy_save(transposed, name);
	if (!status)
		status = dpr_npy_load_on(name, q1, DPR_USM_HOST, &x);
	ck_assert_int_eq(unlink(name), 0);
	MADE(status, x);
	if (!status)
		status = dpr_permute_dims(x, NULL, &y);
	dpr_array_release(x);
	return counted(status, y);
}

#ifdef HAVE_ZLIB
/* Save two arrays in an archive, and load one of them. */
static dpr_status try_archive(enum dpr_npz_packing packing)
{
	const dpr_npz_entry entries[] = { { "transposed", transposed },
					  { "matrix", matrix } };
	FILE *file = tmpfile();
	dpr_array *x = NULL;
	char **names = NULL;
	dpr_status status;
	size_t n;

	ck_assert_ptr_nonnull(file);
	status = dpr_npz_save(entries, 2, packing, file);
	if (!status)
		status = dpr_npz_names(file, &names, &n);
	MADE(status, names);
	dpr_free(names);
	if (!status)
		status = packing == DPR_NPZ_STORED
				 ? dpr_npz_load(file, "matrix", q1, &x)
				 : dpr_npz_load_on(file, "matrix", q1,
						   DPR_USM_HOST, &x);
	fclose(file);
	return counted(status, x);
}

static dpr_status try_stored(void)
{
	return try_archive(DPR_NPZ_STORED);
}

static dpr_status try_deflated(void)
{
	return try_archive(DPR_NPZ_DEFLATED);
}
#endif

static const struct attempt list[] = {
	{ "stream", try_stream },
	{ "name", try_name },
#ifdef HAVE_ZLIB
	{ "stored", try_stored },
	{ "deflated", try_deflated },
#endif
};

int main(void)
{
	return run_faults(list, sizeof(list) / sizeof(*list), NULL);
}
