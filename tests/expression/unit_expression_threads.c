/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_expression_threads.c - eight threads compute 50 expressions, while the
 * engine keeps only four kernels: each value is that of a loop in C.  Half of
 * the calls read the text, half apply an expression that all threads share.
 *
 * DPR_TEST_DEVICES is a selector (default: host, where making a kernel takes
 * microseconds).
 */
#include <pthread.h>

#include "core/array/engine/kernel_store.h"
#include "tests/engine/sweep.h"

#define THREADS 8
#define TEXTS 50
#define KEPT 4
#define ROWS 3
#define COLUMNS 8
#define COUNT (ROWS * COLUMNS)
#define STEPS 6
#define TEXT 200

static int runs = 300; /* of each thread */
static char texts[TEXTS][TEXT];
static dpr_expression *shared[TEXTS];
static _Atomic long wrong_values, failures;

/* How the chain of steps ends. */
enum form { VALUES, ALSO, SUMS, PARTS, FORMS };

static enum form form_of(unsigned number)
{
	return (enum form)(number % FORMS);
}

/* Write text @number: steps v + x or v * x.  Then follow a reduction of rows,
   or also steps that use the reduction, or neither. */
static void write_text(unsigned number, char text[TEXT])
{
	static const char *const ends[FORMS] = {
		"; v", "; v * 2", "; sum(v, axis=1, keepdims=True) + x * 0",
		"; v / sum(v, axis=1, keepdims=True)"
	};
	int at = snprintf(text, TEXT, "v = ");

	for (unsigned bit = 0; bit < STEPS; bit++)
		text[at++] = '(';
	text[at++] = 'x';
	for (unsigned bit = 0; bit < STEPS; bit++)
		at += snprintf(text + at, TEXT - (size_t)at, " %c x)",
			       number >> bit & 1 ? '+' : '*');
	snprintf(text + at, TEXT - (size_t)at, "%s", ends[form_of(number)]);
}

/* The element that it gives for x.  All are so short that no sum is rounded. */
static void want_values(unsigned number, const float *x, float *want)
{
	float v[COUNT];

	for (int i = 0; i < COUNT; i++) {
		v[i] = x[i];
		for (unsigned bit = 0; bit < STEPS; bit++)
			v[i] = number >> bit & 1 ? v[i] + x[i] : v[i] * x[i];
	}
	for (int i = 0; i < COUNT; i++) {
		const float *row = v + i / COLUMNS * COLUMNS;
		float sum = 0;

		for (int k = 0; k < COLUMNS; k++)
			sum += row[k];
		switch (form_of(number)) {
		case VALUES: want[i] = v[i]; break;
		case ALSO: want[i] = v[i] * 2; break;
		case SUMS: want[i] = sum; break;
		case PARTS: want[i] = v[i] / sum; break;
		case FORMS: break;
		}
	}
}

/* Compute text @number once.  Counts what is wrong. */
static void run_once(unsigned number, bool reads, const float *values,
		     const dpr_array *x)
{
	const dpr_binding one[] = { { "x", dpr_operand_array(x) } };
	float want[COUNT], have[COUNT];
	dpr_array *out = NULL;
	dpr_status status =
		reads ? dpr_evaluate(texts[number], NULL, &out, "x", x)
		      : dpr_expression_apply(shared[number], one, 1, NULL, &out,
					     1);

	if (!status)
		status = dpr_array_to_memory(out, have, sizeof(have), NULL);
	dpr_array_release(out);
	if (status) {
		if (!failures++)
			printf("%s: %s\n", texts[number], dpr_last_error());
		return;
	}
	want_values(number, values, want);
	for (int i = 0; i < COUNT; i++)
		if (have[i] != want[i] && !wrong_values++)
			printf("%s: %g, not %g\n", texts[number],
			       (double)have[i], (double)want[i]);
}

/* Each thread has other values, and begins with another text. */
static void *run_texts(void *arg)
{
	const unsigned own = *(const unsigned *)arg;
	unsigned at = own;
	float values[COUNT];
	dpr_array *x;

	for (unsigned i = 0; i < COUNT; i++)
		values[i] = (float)(1 + (i + own) % 4) / 2;
	MUST(dpr_array_from_memory(values, DPR_SHAPE(ROWS, COLUMNS), NULL,
				   DPR_FLOAT32, queue, &x));
	for (int i = 0; i < runs; i++, at = (at + 7) % TEXTS)
		run_once(at, i % 2, values, x);
	dpr_array_release(x);
	return NULL;
}

/* Each text is computed in one kernel, so that there are 50 to be kept. */
static void check_plans(void)
{
	int kernels = 0;
	dpr_array *x;

	MUST(dpr_ones(DPR_SHAPE(ROWS, COLUMNS), DPR_FLOAT32, queue, &x));
	for (int i = 0; i < TEXTS; i++) {
		const dpr_binding one[] = { { "x", dpr_operand_array(x) } };
		char *plan;

		MUST(dpr_expression_explain(shared[i], one, 1, NULL, &plan));
		kernels += strstr(plan, "kernels of several steps: 1\n") &&
			   strstr(plan, "\n1 launch, 0 bytes");
		dpr_free(plan);
	}
	dpr_array_release(x);
	printf("%d of %d texts are one kernel\n", kernels, TEXTS);
	checks++;
	wrong += kernels != TEXTS;
}

static void run_device(dpr_device *device)
{
	pthread_t threads[THREADS];
	unsigned numbers[THREADS];

	MUST(dpr_device_queue(device, &queue));
	for (unsigned i = 0; i < TEXTS; i++) {
		write_text(i, texts[i]);
		MUST(dpr_expression_create(texts[i], &shared[i]));
	}
	kernel_store_keep(KEPT);
	check_plans();
	for (unsigned i = 0; i < THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, run_texts, &numbers[i]))
			exit(99);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	kernel_store_keep(0);
	for (unsigned i = 0; i < TEXTS; i++)
		dpr_expression_release(shared[i]);
	checks++;
	wrong += wrong_values || failures;
	printf("%s: %ld wrong values, %ld failures\n",
	       dpr_device_selector(device), (long)wrong_values, (long)failures);
}

static bool is_for(dpr_device *device)
{
	return engine_format(device) && !exact_memory(device);
}

int main(void)
{
	if (getenv("DPR_TEST_SMALL"))
		runs = 100;
	return sweep("host", is_for, run_device,
		     "no device takes kernels of the engine");
}
