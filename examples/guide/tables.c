/* SPDX-License-Identifier: Apache-2.0 */

/* tables.c - arrays to and from .npy and .npz files. */
#include <dpr/dpr.h>

/* Write x and its squares, alone and together. */
static dpr_status save(void)
{
	dpr_array *x = NULL, *squares = NULL;
	dpr_status status;

	if ((status = dpr_linspace(0, 3, 4, DPR_FLOAT32, NULL, &x)) ||
	    (status = dpr_multiply(x, x, &squares)))
		goto out;
	/* guide: save */
	const dpr_npz_entry both[] = { { "x", x }, { "squares", squares } };

	status = dpr_npy_save(x, "x.npy");
	if (!status)
		status = dpr_npz_save(both, 2, DPR_NPZ_DEFLATED, "both.npz");
	/* guide: end */
out:
	dpr_array_release(squares);
	dpr_array_release(x);
	return status;
}

/* guide: load */
static dpr_status load(void)
{
	dpr_array *x = NULL;
	char **names = NULL;
	size_t count = 0;
	dpr_status status = dpr_npz_names("both.npz", &names, &count);

	for (size_t i = 0; i < count && !status; i++) {
		status = dpr_npz_load("both.npz", names[i], NULL, &x);
		if (!status) {
			printf("%s: ", names[i]);
			status = dpr_array_print(x, stdout);
		}
		dpr_array_release(x);
		x = NULL;
	}
	dpr_free(names);
	return status;
}
/* guide: end */

/* guide: stream */
static dpr_status append(FILE *file, int n)
{
	dpr_array *x = NULL;
	dpr_status status = dpr_arange(0, n, 1, DPR_INT32, NULL, &x);

	if (!status)
		status = dpr_npy_save(x, file);
	dpr_array_release(x);
	return status;
}

static dpr_status use_stream(void)
{
	FILE *file = fopen("many.bin", "wb+");
	dpr_status status = file ? DPR_OK : DPR_ERROR_FILE;
	dpr_array *x = NULL;

	for (int n = 1; n <= 3 && !status; n++)
		status = append(file, n);
	if (file)
		rewind(file);
	for (int n = 1; n <= 3 && !status; n++) {
		status = dpr_npy_load(file, NULL, &x);
		if (!status)
			status = dpr_array_print(x, stdout);
		dpr_array_release(x);
		x = NULL;
	}
	if (file)
		fclose(file);
	return status;
}
/* guide: end */

int main(void)
{
	dpr_status status;

	if ((status = save()) || (status = load()) || (status = use_stream()))
		fprintf(stderr, "tables: %s\n", dpr_last_error());
	return status != DPR_OK;
}
