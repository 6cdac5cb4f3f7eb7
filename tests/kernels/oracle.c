/* SPDX-License-Identifier: Apache-2.0 */
/* oracle.c - reading fixtures/numerics.bin, making layouts, comparing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

static struct {
	char *text;
	const unsigned char *blob;
	struct pool *pools;
	size_t n_pools;
	struct expectation *expectations;
	size_t n_expectations;
} fixture;

static void die(const char *what)
{
	fprintf(stderr, "numerics.bin: %s: %s\n", what, dpr_last_error());
	exit(99);
}

static void *allocate(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		die("out of memory");
	return p;
}

/* --- Reading ------------------------------------------------------------- */

static void read_file(void)
{
	const char *top = getenv("top_srcdir");
	char path[1024], *end;
	FILE *file;
	long size;

	snprintf(path, sizeof(path), "%s/tests/fixtures/numerics.bin",
		 top ? top : ".");
	file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END))
		die(path);
	size = ftell(file);
	rewind(file);
	fixture.text = allocate((size_t)size + 1);
	if (fread(fixture.text, 1, (size_t)size, file) != (size_t)size)
		die(path);
	fclose(file);
	end = strstr(fixture.text, "\n\n");
	if (!end)
		die("no end of the text");
	end[1] = 0;
	fixture.blob = (const unsigned char *)end + 2;
}

static dpr_dtype dtype_of(const char *name)
{
	dpr_dtype dtype = dpr_dtype_from_name(name);

	if (!dtype)
		die(name);
	return dtype;
}

static struct pool *find_pool(const char *name)
{
	size_t i;

	for (i = 0; i < fixture.n_pools; i++)
		if (!strcmp(fixture.pools[i].name, name))
			return &fixture.pools[i];
	die(name);
	return NULL;
}

static void read_pool(const char *line)
{
	struct pool *pool = &fixture.pools[fixture.n_pools];
	char dtype[24];
	long long d[3];
	long offset;
	int n, i;

	n = sscanf(line, "pool %39s %23s %ld %lld %lld %lld", pool->name, dtype,
		   &offset, &d[0], &d[1], &d[2]);
	if (n < 4)
		die(line);
	pool->dtype = dtype_of(dtype);
	pool->data = fixture.blob + offset;
	pool->rank = n - 3;
	pool->count = 1;
	for (i = 0; i < pool->rank; i++) {
		pool->shape[i] = d[i];
		pool->count *= d[i];
	}
	fixture.n_pools++;
}

static void read_expectation(char *line)
{
	struct expectation *e = &fixture.expectations[fixture.n_expectations++];
	char dtype[24], *state, *word;
	long offset;
	int used = 0;

	if (sscanf(line, "%11s", e->verb) != 1)
		die(line);
	line += strlen(e->verb);
	if (!strcmp(e->verb, "case") || !strcmp(e->verb, "reduce")) {
		if (sscanf(line, " %23s%n", e->function, &used) != 1)
			die(line);
		line += used;
	}
	if (sscanf(line, " %23s %ld%n", dtype, &offset, &used) != 2)
		die(line);
	e->dtype = dtype_of(dtype);
	e->data = fixture.blob + offset;
	line += used;
	snprintf(e->rest, sizeof(e->rest), "%s", line);
	if (!strcmp(e->verb, "arange") || !strcmp(e->verb, "linspace"))
		return;
	for (word = strtok_r(line, " ", &state); word && e->n_operands < 3;
	     word = strtok_r(NULL, " ", &state)) {
		if (!strcmp(e->verb, "reduce") && e->n_operands == 1) {
			snprintf(e->rest, sizeof(e->rest), "%s", word);
			break;
		}
		e->operands[e->n_operands++] = find_pool(word);
	}
}

void oracle_load(void)
{
	char *line, *state;
	size_t lines = 0;

	read_file();
	for (line = fixture.text; (line = strchr(line, '\n')); line++)
		lines++;
	fixture.pools = allocate(lines * sizeof(*fixture.pools));
	fixture.expectations = allocate(lines * sizeof(*fixture.expectations));
	strtok_r(fixture.text, "\n", &state);
	while ((line = strtok_r(NULL, "\n", &state)))
		if (!strncmp(line, "pool ", 5))
			read_pool(line);
		else
			read_expectation(line);
}

void oracle_drop(bool all)
{
	size_t i;
	int l;

	for (i = 0; i < fixture.n_pools; i++) {
		struct pool *pool = &fixture.pools[i], *full = pool->full;

		for (l = 0; l < LAYOUT_COUNT; l++) {
			dpr_array_release(pool->layouts[l]);
			pool->layouts[l] = NULL;
			if (full && full != pool) {
				dpr_array_release(full->layouts[l]);
				full->layouts[l] = NULL;
			}
		}
		if (all && full && full != pool) {
			free((void *)(uintptr_t)full->data);
			free(full);
		}
	}
	if (!all)
		return;
	free(fixture.pools);
	free(fixture.expectations);
	free(fixture.text);
}

struct expectation *oracle_at(size_t i)
{
	return i < fixture.n_expectations ? &fixture.expectations[i] : NULL;
}

/* --- Layouts ------------------------------------------------------------- */

struct pool *oracle_full(struct pool *pool)
{
	size_t size = dpr_dtype_size(pool->dtype);
	struct pool *full;
	unsigned char *data;
	int64_t i, j;

	if (pool->full)
		return pool->full;
	if (pool->count == 144)
		return pool->full = pool;
	full = allocate(sizeof(*full));
	data = allocate(144 * size);
	*full = *pool;
	memset(full->layouts, 0, sizeof(full->layouts));
	full->shape[0] = full->shape[1] = 12;
	full->count = 144;
	for (i = 0; i < 12; i++)
		for (j = 0; j < 12; j++)
			memcpy(data + (size_t)(i * 12 + j) * size,
			       pool->data +
				       (size_t)(pool->shape[0] > 1 ? i : j) *
					       size,
			       size);
	full->data = data;
	return pool->full = full;
}

/* The position of element @index (in C order of the pool) in a layout's buffer
   of extents @extent. */
static int64_t place(const struct pool *pool, enum layout layout, int64_t index,
		     const int64_t *extent)
{
	int64_t at[ORACLE_RANK], where = 0;
	int i;

	for (i = pool->rank - 1; i >= 0; i--) {
		at[i] = index % pool->shape[i];
		index /= pool->shape[i];
		if (layout == LAYOUT_STRIDED)
			at[i] = 2 * at[i] + 1;
		else if (layout == LAYOUT_NEGATIVE)
			at[i] = pool->shape[i] - 1 - at[i];
	}
	for (i = 0; i < pool->rank; i++)
		where = layout == LAYOUT_TRANSPOSED
				? where * extent[i] + at[pool->rank - 1 - i]
				: where * extent[i] + at[i];
	return where;
}

/* Make the view that shows the pool's elements in their order.  Releases
   @buffer. */
static dpr_array *view_of(dpr_array *buffer, int rank, enum layout layout)
{
	dpr_index index[ORACLE_RANK];
	dpr_array *view;
	dpr_status status;
	int i;

	if (layout == LAYOUT_PLAIN)
		return buffer;
	for (i = 0; i < rank; i++)
		index[i] = layout == LAYOUT_STRIDED
				   ? DPR_SLICE(1, DPR_OPEN, 2)
				   : DPR_SLICE(DPR_OPEN, DPR_OPEN, -1);
	if (layout == LAYOUT_TRANSPOSED)
		status = dpr_permute_dims(buffer, NULL, &view);
	else
		status = dpr_array_index(buffer, index, (size_t)rank, &view);
	if (status)
		die("view");
	dpr_array_release(buffer);
	return view;
}

static dpr_array *make_long(const struct pool *pool, dpr_queue *queue)
{
	size_t size = dpr_dtype_size(pool->dtype);
	unsigned char *data = allocate(LONG_COUNT * size);
	dpr_array *array;
	int64_t i;

	for (i = 0; i < LONG_COUNT; i++)
		memcpy(data + (size_t)i * size,
		       pool->data + (size_t)(i % pool->count) * size, size);
	if (dpr_array_from_memory(data, DPR_SHAPE(LONG_COUNT), NULL,
				  pool->dtype, queue, &array))
		die("from memory");
	free(data);
	return array;
}

static dpr_array *make_array(const struct pool *pool, enum layout layout,
			     dpr_queue *queue)
{
	size_t size = dpr_dtype_size(pool->dtype);
	int64_t extent[ORACLE_RANK], count = 1, i;
	unsigned char *data;
	dpr_array *array;

	if (layout == LAYOUT_LONG)
		return make_long(pool, queue);
	for (i = 0; i < pool->rank; i++) {
		extent[i] =
			layout == LAYOUT_TRANSPOSED
				? pool->shape[pool->rank - 1 - i]
				: pool->shape[i] *
					  (layout == LAYOUT_STRIDED ? 2 : 1);
		count *= extent[i];
	}
	/* Bytes between the elements must not be read.  Fill them with an
	   unlikely value (true for bool), so that reading them gives wrong
	   results. */
	data = allocate((size_t)count * size);
	memset(data, pool->dtype == DPR_BOOL ? 1 : 0x5a, (size_t)count * size);
	for (i = 0; i < pool->count; i++)
		memcpy(data + (size_t)place(pool, layout, i, extent) * size,
		       pool->data + (size_t)i * size, size);
	if (dpr_array_from_memory(data, dpr_shape_of(pool->rank, extent), NULL,
				  pool->dtype, queue, &array))
		die("from memory");
	free(data);
	return view_of(array, pool->rank, layout);
}

dpr_array *oracle_array(struct pool *pool, enum layout layout, dpr_queue *queue)
{
	if (!pool->layouts[layout])
		pool->layouts[layout] = make_array(pool, layout, queue);
	return pool->layouts[layout];
}

/* --- Comparing ----------------------------------------------------------- */

static double half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31, part = bits & 1023;
	double value;

	if (exponent == 31)
		value = part ? NAN : INFINITY;
	else
		value = exponent ? ldexp(1024 + part, exponent - 25)
				 : ldexp(part, -24);
	return bits & 0x8000 ? -value : value;
}

/* Part @i of an element of a float dtype: 0 is the real, 1 the imaginary
   part. */
static double part_value(dpr_dtype dtype, const void *element, int i)
{
	uint16_t half;
	uint32_t word;
	float f;
	double d;

	switch (dtype) {
	case DPR_FLOAT16: memcpy(&half, element, 2); return half_value(half);
	case DPR_BFLOAT16:
		memcpy(&half, element, 2);
		word = (uint32_t)half << 16;
		memcpy(&f, &word, 4);
		return f;
	case DPR_FLOAT32:
	case DPR_COMPLEX64:
		memcpy(&f, (const char *)element + 4 * i, 4);
		return f;
	default: memcpy(&d, (const char *)element + 8 * i, 8); return d;
	}
}

/* The distance from @value to the next float of @dtype. */
static double ulp_at(dpr_dtype dtype, double value)
{
	int digits, least, exponent;

	switch (dtype) {
	case DPR_FLOAT16:
		digits = 11;
		least = -24;
		break;
	case DPR_BFLOAT16:
		digits = 8;
		least = -133;
		break;
	case DPR_FLOAT32:
	case DPR_COMPLEX64:
		digits = 24;
		least = -149;
		break;
	default:
		digits = 53;
		least = -1074;
		break;
	}
	if (value == 0)
		return ldexp(1, least);
	frexp(value, &exponent);
	exponent -= digits;
	return ldexp(1, exponent < least ? least : exponent);
}

static bool near_part(dpr_dtype dtype, double found, double expected,
		      double size, const struct tolerance *tolerance)
{
	if (isnan(expected) || isnan(found))
		return isnan(expected) && isnan(found);
	if (found == expected)
		return found != 0 || tolerance->any_zero ||
		       !signbit(found) == !signbit(expected) || size > 0;
	if (isinf(expected) || isinf(found)) {
		/* Accept the largest finite number in place of infinity, and
		   the reverse. */
		double finite = isinf(found) ? expected : found;
		double largest = dtype == DPR_FLOAT16 ? 65504 : 3.3e38;

		return tolerance->ulp > 0 && !isinf(finite) &&
		       dtype != DPR_FLOAT64 && dtype != DPR_COMPLEX128 &&
		       fabs(finite) >= largest;
	}
	if (size < fabs(expected))
		size = fabs(expected);
	return fabs(found - expected) <= tolerance->ulp * ulp_at(dtype, size);
}

static bool near_complex(dpr_dtype dtype, const void *found,
			 const void *expected,
			 const struct tolerance *tolerance)
{
	double f[2], e[2], size = tolerance->size;
	int i;

	for (i = 0; i < 2; i++) {
		f[i] = part_value(dtype, found, i);
		e[i] = part_value(dtype, expected, i);
		if (fabs(e[i]) > size)
			size = fabs(e[i]);
	}
	if (tolerance->any_overflow && !(isfinite(e[0]) && isfinite(e[1])))
		return !(isfinite(f[0]) && isfinite(f[1]));
	/* For exact functions the sign of a zero part counts. */
	if (tolerance->ulp == 0 || !isfinite(size))
		size = 0;
	return near_part(dtype, f[0], e[0], size, tolerance) &&
	       near_part(dtype, f[1], e[1], size, tolerance);
}

bool oracle_near(dpr_dtype dtype, const void *found, const void *expected,
		 const struct tolerance *tolerance)
{
	switch (dpr_dtype_kind(dtype)) {
	case 'f':
		return near_part(dtype, part_value(dtype, found, 0),
				 part_value(dtype, expected, 0),
				 tolerance->size, tolerance);
	case 'c': return near_complex(dtype, found, expected, tolerance);
	default: return !memcmp(found, expected, dpr_dtype_size(dtype));
	}
}

const char *oracle_text(dpr_dtype dtype, const void *element, char out[80])
{
	uint64_t u = 0;
	int64_t i = 0;
	size_t size = dpr_dtype_size(dtype);

	switch (dpr_dtype_kind(dtype)) {
	case 'f':
		snprintf(out, 80, "%.9g", part_value(dtype, element, 0));
		break;
	case 'c':
		snprintf(out, 80, "%.9g%+.9gj", part_value(dtype, element, 0),
			 part_value(dtype, element, 1));
		break;
	case 'i':
		memcpy(&i, element, size);
		i = (int64_t)((uint64_t)i << (64 - 8 * size)) >>
		    (64 - 8 * size);
		snprintf(out, 80, "%lld", (long long)i);
		break;
	default:
		memcpy(&u, element, size);
		snprintf(out, 80, "%llu", (unsigned long long)u);
		break;
	}
	return out;
}
