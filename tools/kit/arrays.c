/* SPDX-License-Identifier: Apache-2.0 */
/* arrays.c - arrays of the checks: devices, operands, and results that are
   compared with what the host computes. */
#include "tools/kit/arrays.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/kit/behind.h"

/* --- Devices ----------------------------------------------------------------
 */

/* The selector of the library for what the check is about. */
static void selector(const struct kit *kit, char *text, size_t capacity)
{
	const char *name = kit->plugin->name, *rest = kit->selector;
	size_t n = strlen(name);

	if (rest && !strncmp(rest, name, n) && (!rest[n] || rest[n] == ':'))
		rest += n + (rest[n] == ':');
	snprintf(text, capacity, "%s%s%s", name, rest && *rest ? ":" : "",
		 rest ? rest : "");
}

static void take_line(void *user, enum dpr_log_level level, const char *line)
{
	(void)user;
	(void)level;
	behind_read(line);
}

/* Have the library use this plugin and no other, nor code of an earlier
   version of it that is kept on disk. */
static void use_plugin(const struct kit *kit)
{
	dpr_plugin_report *list;
	size_t n, i;

	unsetenv("DPR_PLUGINS");
	unsetenv("DPR_DEVICE");
	setenv("DPR_BACKEND", kit->plugin->name, 1);
	setenv("DPR_CACHE_DIR", "off", 1);
	if (kit->behind) {
		unsetenv("DPR_LOG");
		setenv("DPR_LAYERS", "check", 1);
		dpr_log_set(DPR_LOG_ERROR, take_line, NULL);
	}
	note_step("dpr_plugin_add", "%s", kit->file);
	arrays_need(dpr_plugin_add(kit->file));
	if (dpr_plugins(0, &list, &n))
		return;
	for (i = 0; i < n; i++)
		if (!strcmp(list[i].file, kit->file) &&
		    list[i].stage == DPR_PLUGIN_REFUSED)
			note_skip("the library does not load the file: %s",
				  list[i].text);
	dpr_free(list);
}

/* Whether arrays have kernels for the device.  *@why says why not. */
static bool has_kernels(const struct arrays *on, char *why, size_t capacity)
{
	dpr_array *x;
	dpr_status status;

	arrays_step(on, "dpr_arange", "int32, 3 elements");
	status = dpr_arange(0, 3, 1, DPR_INT32, on->queue, &x);
	if (!status) {
		status = dpr_array_wait(x);
		dpr_array_release(x);
	}
	if (status == DPR_ERROR_UNSUPPORTED) {
		snprintf(why, capacity, "%s", dpr_last_error());
		return false;
	}
	arrays_need(status);
	return true;
}

void arrays_each(struct kit *kit, bool kernels,
		 void (*check)(const struct arrays *on))
{
	char text[160], why[200] = "there is no such device";
	dpr_device *devices[64];
	struct arrays on;
	size_t n, i, checked = 0;

	selector(kit, text, sizeof(text));
	use_plugin(kit);
	note_step("dpr_device_enumerate", "\"%s\"", text);
	arrays_need(
		dpr_device_enumerate(text, devices, KIT_COUNT(devices), &n));
	for (i = 0; i < n && i < KIT_COUNT(devices); i++) {
		on.device = devices[i];
		ARRAYS_CALL(&on, dpr_device_queue(on.device, &on.queue),
			    "dpr_device_queue", "%s", "");
		if (kernels && !has_kernels(&on, why, sizeof(why)))
			continue;
		check(&on);
		checked++;
	}
	if (!checked)
		note_skip("%s", why);
	note_step("dpr_finalize", "%s", "");
	arrays_need(dpr_finalize());
	/* The second call delivers what the log has of the end. */
	if (kit->behind && dpr_finalize() == DPR_OK)
		note_skip("dpr_finalize() ends the library twice");
}

/* --- Calls ------------------------------------------------------------------
 */

void arrays_step(const struct arrays *on, const char *call, const char *args,
		 ...)
{
	char text[120];
	va_list ap;

	va_start(ap, args);
	vsnprintf(text, sizeof(text), args, ap);
	va_end(ap);
	note_step(call, "%s%son %s", text, *text ? " " : "",
		  dpr_device_selector(on->device));
}

void arrays_need(dpr_status status)
{
	if (!status)
		return;
	note_bad("", "DPR_OK", "%s: %s", dpr_status_name(status),
		 dpr_last_error());
	note_end();
}

/* --- Elements ---------------------------------------------------------------
 */

struct arrays_number arrays_value(dpr_dtype dtype, int64_t i, int salt)
{
	const char kind = dpr_dtype_kind(dtype);
	const int first = (int)((i * 7 + salt * 5) % 12);
	const int second = (int)((i * 5 + salt * 7) % 12);
	const int from = kind == 'u' ? 0 : 5;
	struct arrays_number value = { first - from, 0 };

	if (kind == 'b')
		value.re = first & 1;
	if (kind == 'c')
		value.im = second - from;
	return value;
}

/* The bits of a float16 for a number that is one, and normal or 0. */
static uint16_t half_of(double value)
{
	int exponent;
	double m = frexp(fabs(value), &exponent);
	unsigned bits = 0;

	if (value != 0)
		bits = (unsigned)(exponent + 14) << 10 |
		       (unsigned)((m * 2 - 1) * 1024);
	return (uint16_t)(bits | (signbit(value) ? 0x8000u : 0));
}

static double from_half(uint16_t bits)
{
	const int exponent = bits >> 10 & 31, m = bits & 1023;
	double value;

	if (exponent == 31)
		value = m ? NAN : INFINITY;
	else if (exponent)
		value = ldexp(1024 + m, exponent - 25);
	else
		value = ldexp(m, -24);
	return bits & 0x8000 ? -value : value;
}

static uint16_t bfloat_of(double value)
{
	const float single = (float)value;
	uint32_t bits;

	memcpy(&bits, &single, sizeof(bits));
	return (uint16_t)(bits >> 16);
}

static double from_bfloat(uint16_t half)
{
	const uint32_t bits = (uint32_t)half << 16;
	float single;

	memcpy(&single, &bits, sizeof(single));
	return single;
}

void arrays_store(dpr_dtype dtype, void *bytes, int64_t i,
		  struct arrays_number v)
{
	switch (dtype) {
	case DPR_BOOL: ((uint8_t *)bytes)[i] = v.re != 0; break;
	case DPR_INT8: ((int8_t *)bytes)[i] = (int8_t)v.re; break;
	case DPR_INT16: ((int16_t *)bytes)[i] = (int16_t)v.re; break;
	case DPR_INT32: ((int32_t *)bytes)[i] = (int32_t)v.re; break;
	case DPR_INT64: ((int64_t *)bytes)[i] = (int64_t)v.re; break;
	case DPR_UINT8: ((uint8_t *)bytes)[i] = (uint8_t)v.re; break;
	case DPR_UINT16: ((uint16_t *)bytes)[i] = (uint16_t)v.re; break;
	case DPR_UINT32: ((uint32_t *)bytes)[i] = (uint32_t)v.re; break;
	case DPR_UINT64: ((uint64_t *)bytes)[i] = (uint64_t)v.re; break;
	case DPR_FLOAT16: ((uint16_t *)bytes)[i] = half_of(v.re); break;
	case DPR_BFLOAT16: ((uint16_t *)bytes)[i] = bfloat_of(v.re); break;
	case DPR_FLOAT32: ((float *)bytes)[i] = (float)v.re; break;
	case DPR_FLOAT64: ((double *)bytes)[i] = v.re; break;
	case DPR_COMPLEX64:
		((float *)bytes)[2 * i] = (float)v.re;
		((float *)bytes)[2 * i + 1] = (float)v.im;
		break;
	case DPR_COMPLEX128:
		((double *)bytes)[2 * i] = v.re;
		((double *)bytes)[2 * i + 1] = v.im;
		break;
	case DPR_DTYPE_DEFAULT:
	case DPR_DTYPE_FORCE_INT: break;
	}
}

struct arrays_number arrays_load(dpr_dtype dtype, const void *bytes, int64_t i)
{
	struct arrays_number v = { 0, 0 };

	switch (dtype) {
	case DPR_BOOL:
	case DPR_UINT8: v.re = ((const uint8_t *)bytes)[i]; break;
	case DPR_INT8: v.re = ((const int8_t *)bytes)[i]; break;
	case DPR_INT16: v.re = ((const int16_t *)bytes)[i]; break;
	case DPR_INT32: v.re = ((const int32_t *)bytes)[i]; break;
	case DPR_INT64: v.re = (double)((const int64_t *)bytes)[i]; break;
	case DPR_UINT16: v.re = ((const uint16_t *)bytes)[i]; break;
	case DPR_UINT32: v.re = ((const uint32_t *)bytes)[i]; break;
	case DPR_UINT64: v.re = (double)((const uint64_t *)bytes)[i]; break;
	case DPR_FLOAT16: v.re = from_half(((const uint16_t *)bytes)[i]); break;
	case DPR_BFLOAT16:
		v.re = from_bfloat(((const uint16_t *)bytes)[i]);
		break;
	case DPR_FLOAT32: v.re = ((const float *)bytes)[i]; break;
	case DPR_FLOAT64: v.re = ((const double *)bytes)[i]; break;
	case DPR_COMPLEX64:
		v.re = ((const float *)bytes)[2 * i];
		v.im = ((const float *)bytes)[2 * i + 1];
		break;
	case DPR_COMPLEX128:
		v.re = ((const double *)bytes)[2 * i];
		v.im = ((const double *)bytes)[2 * i + 1];
		break;
	case DPR_DTYPE_DEFAULT:
	case DPR_DTYPE_FORCE_INT: break;
	}
	return v;
}

/* --- Arrays -----------------------------------------------------------------
 */

void *arrays_bytes(size_t size)
{
	void *bytes = calloc(1, size ? size : 1);

	if (!bytes)
		note_skip("out of memory");
	return bytes;
}

dpr_array *arrays_make(const struct arrays *on, dpr_dtype dtype,
		       dpr_shape shape, int salt)
{
	int64_t size = 1, i;
	dpr_array *x;
	void *bytes;

	for (i = 0; i < shape.rank; i++)
		size *= shape.dim[i];
	bytes = arrays_bytes((size_t)size * dpr_dtype_size(dtype));
	for (i = 0; i < size; i++)
		arrays_store(dtype, bytes, i, arrays_value(dtype, i, salt));
	ARRAYS_CALL(
		on,
		dpr_array_from_memory(bytes, shape, NULL, dtype, on->queue, &x),
		"dpr_array_from_memory", "%s, %lld elements",
		dpr_dtype_name(dtype), (long long)size);
	free(bytes);
	return x;
}

static void write_number(dpr_dtype dtype, struct arrays_number v, char *text,
			 size_t capacity)
{
	if (dpr_dtype_kind(dtype) == 'c')
		snprintf(text, capacity, "%.9g%+.9gi", v.re, v.im);
	else
		snprintf(text, capacity, "%.9g", v.re);
}

/* Whether a part of an element is what it should be. */
static bool is_near(dpr_dtype dtype, double got, double want, double ulps)
{
	const bool is_float = dtype == DPR_FLOAT32 || dtype == DPR_COMPLEX64;
	const double epsilon = is_float ? FLT_EPSILON : DBL_EPSILON;

	if (got == want || (isnan(got) && isnan(want)))
		return true;
	return ulps > 0 &&
	       fabs(got - want) <= ulps * epsilon * fmax(fabs(want), FLT_MIN);
}

void arrays_check(dpr_array *x, const char *rule, double ulps,
		  arrays_wanted wanted, const void *user)
{
	const int64_t size = dpr_array_size(x);
	const dpr_dtype dtype = dpr_array_dtype(x);
	struct arrays_number want = { 0, 0 }, got = { 0, 0 }, w, g;
	void *bytes = arrays_bytes((size_t)size * dpr_dtype_size(dtype));
	int64_t bad = 0, first = 0, i;
	char got_text[64], want_text[64];

	arrays_need(dpr_array_to_memory(x, bytes, dpr_array_nbytes(x), NULL));
	for (i = 0; i < size; i++) {
		w = wanted(i, user);
		g = arrays_load(dtype, bytes, i);
		if (is_near(dtype, g.re, w.re, ulps) &&
		    is_near(dtype, g.im, w.im, ulps))
			continue;
		if (!bad++) {
			first = i;
			want = w;
			got = g;
		}
	}
	write_number(dtype, got, got_text, sizeof(got_text));
	write_number(dtype, want, want_text, sizeof(want_text));
	if (bad)
		note_bad(rule,
			 ulps > 0 ? "values within 4 ulp of C's"
				  : "the values of C",
			 "%lld of %lld elements (%s) are wrong; number %lld is "
			 "%s, not %s",
			 (long long)bad, (long long)size, dpr_dtype_name(dtype),
			 (long long)first, got_text, want_text);
	free(bytes);
	dpr_array_release(x);
}
