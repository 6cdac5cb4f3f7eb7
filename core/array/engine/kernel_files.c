/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_files.c - the kernels that come in files beside a plugin. */
#include "core/array/engine/kernel_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dpr/device.h>
#include <dpr/runtime.h>

#include "core/array/engine/operations.h"
#include "core/base/files.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"

#define LARGEST_FILE (256 << 20)

/* --- Graphs ------------------------------------------------------------- */

/* Whether operand @k of @step may be a number. */
static bool may_be_number(const struct graph_step *step, int k)
{
	return (step->kind == GRAPH_OPERATION && step->n > 1) ||
	       (step->kind == GRAPH_WHERE && k > 0);
}

/* Add an operand that a launch passes either as an array or as a number.  The
   kernel has an input and a scalar for the operand.  A bool scalar says which
   of the two to use. */
static int add_either(struct graph *graph, unsigned dtype)
{
	const int array = graph_input(graph, dtype);
	const int is_number = graph_scalar(graph, DPR_BOOL);
	const int number = graph_scalar(graph, dtype);
	const int x[] = { is_number, number, array };

	return graph_where(graph, dtype, x);
}

void kernel_files_graph(const struct graph_step *step, struct graph *graph)
{
	int x[KERNEL_FILES_OPERANDS] = { 0 };

	mem_zero(graph, offsetof(struct graph, step));
	for (int k = 0; k < step->n; k++) {
		const bool is_condition = step->kind == GRAPH_WHERE && k == 0;
		const bool is_place = step->kind == GRAPH_PUT && k == 1;

		x[k] = is_condition ? graph_input(graph, DPR_BOOL)
		       : is_place   ? graph_input(graph, DPR_INT64)
		       : may_be_number(step, k)
			       ? add_either(graph, step->compute)
			       : graph_input(graph, step->compute);
	}
	graph_result(graph, graph_like(graph, step, x));
}

struct schedule kernel_files_schedule(enum schedule_kind kind)
{
	struct schedule schedule;

	mem_zero(&schedule, sizeof(schedule));
	schedule.kind = (uint8_t)kind;
	if (kind != SCHEDULE_STRIDED)
		return schedule;
	schedule.rank = SCHEDULE_RANK;
	schedule.gpu.open = 1;
	memset(schedule.inner, SCHEDULE_ANY, sizeof(schedule.inner));
	return schedule;
}

struct schedule kernel_files_reduce(enum reduction reduction, unsigned dtype)
{
	struct schedule schedule = kernel_files_schedule(SCHEDULE_STRIDED);
	const unsigned sum = reduce_table_sum(reduction, dtype);
	const bool is_exact = reduce_table_is_exact(reduction, sum);

	schedule.kind = SCHEDULE_REDUCE_ROWS;
	if (!is_exact)
		reduction = reduce_table_twin(reduction, REDUCE_TABLE_DIVIDE);
	schedule.reduction = (uint8_t)reduction;
	schedule.sum = schedule.result = (uint8_t)sum;
	schedule.gpu.cut = schedule.gpu.pack = 1;
	schedule.gpu.accumulators = is_exact ? 1 : SCHEDULE_REDUCE_ROW_SLOTS;
	schedule.gpu.missing = SCHEDULE_ELEMENTS;
	return schedule;
}

bool kernel_files_reduces(enum reduction reduction, unsigned dtype)
{
	return reduce_table_twin(reduction, REDUCE_TABLE_NOTHING) ==
		       reduction &&
	       reduce_table_takes(reduction, dtype);
}

void kernel_files_name(const struct graph *graph,
		       const struct schedule *schedule,
		       char name[KERNEL_FILES_NAME])
{
	const struct graph_step *step = &graph->step[graph->result[0]];
	const char *dtype = dpr_dtype_name((dpr_dtype)step->compute);
	const char *way = schedule->kind == SCHEDULE_FLAT ? "flat" : "strided";
	enum reduction reduction = (enum reduction)schedule->reduction;
	const char *what = "";

	if (schedule_reduces(schedule)) {
		reduction = reduce_table_twin(reduction, REDUCE_TABLE_NOTHING);
		snprintf(name, KERNEL_FILES_NAME, "reduce_%.20s_%.12s",
			 reduce_table[reduction].name, dtype);
		return;
	}
	switch ((enum graph_kind)step->kind) {
	case GRAPH_INPUT: what = "copy"; break;
	case GRAPH_INDEX: what = "index"; break;
	case GRAPH_SCALAR: what = "fill"; break;
	case GRAPH_OPERATION: what = operations_table[step->at].name; break;
	case GRAPH_WHERE: what = "where"; break;
	case GRAPH_REDUCE: break;
	case GRAPH_BITS: what = "bits"; break;
	case GRAPH_GATHER:
		what = "gather";
		dtype = dpr_dtype_name((dpr_dtype)step->dtype);
		break;
	case GRAPH_PUT: what = "put"; break;
	case GRAPH_CAST:
		snprintf(name, KERNEL_FILES_NAME, "%s_cast_%.12s_%.12s", way,
			 dtype, dpr_dtype_name((dpr_dtype)step->dtype));
		return;
	}
	snprintf(name, KERNEL_FILES_NAME, "%s_%.20s_%.12s", way, what, dtype);
}

/* --- Calls -------------------------------------------------------------- */

/* Find the step that a kernel in a file has to compute: the only step of the
   graph that is not an input or a scalar.  If all steps are inputs and scalars,
   find the step of the result.  NULL: the graph has several steps that are not
   inputs or scalars, or several results. */
static const struct graph_step *single_step(const struct graph *graph)
{
	const struct graph_step *step = &graph->step[graph->result[0]];
	const bool computes = !graph_is_leaf(step);
	int n = 0;

	for (int i = 0; i < graph->n_steps; i++)
		n += !graph_is_leaf(&graph->step[i]);
	return graph->n_results == 1 && n == computes ? step : NULL;
}

/* Choose the array to pass for an operand that is a number: the kernel has a
   pointer for this operand, too.  Take an array that the kernel uses anyway: an
   input whose elements have the size of @dtype or, if there is none, the
   result. */
static const dpr_array *any_array(const struct engine_call *call,
				  unsigned dtype)
{
	const size_t size = dpr_dtype_size((dpr_dtype)dtype);

	for (int k = 0; k < call->graph->n_inputs; k++)
		if (schedule_has_memory(call->graph,
					call->graph->n_results + k) &&
		    dpr_dtype_size(call->inputs[k]->dtype) == size)
			return call->inputs[k];
	return call->results[0];
}

/* Pass operand @k of @step to the kernel in a file.  Returns false if the
   operand is a number where the kernel needs an array, or if the operand has no
   memory. */
static bool take_operand(const struct engine_call *from,
			 const struct graph_step *step, int k,
			 struct kernel_files_call *to)
{
	const struct graph_step *x = &from->graph->step[step->x[k]];
	const bool is_number = x->kind == GRAPH_SCALAR;
	struct engine_scalar *pair;

	if (x->kind == GRAPH_INDEX)
		return false;
	to->inputs[k] = is_number ? any_array(from, step->compute)
				  : from->inputs[x->at];
	if (!may_be_number(step, k))
		return !is_number;
	/* Each operand that may be a number has a pair of scalars
	   (add_either()).  The condition of where() has none. */
	pair = &to->scalars[2 * (step->kind == GRAPH_WHERE ? k - 1 : k)];
	mem_zero(pair, 2 * sizeof(*pair));
	pair[0].bytes[0] = is_number;
	if (is_number) {
		pair[1] = from->scalars[x->at];
		to->unread |= 1u << k;
	}
	return true;
}

bool kernel_files_take(const struct engine_call *from,
		       struct kernel_files_call *to)
{
	const struct graph_step *step = single_step(from->graph);

	if (!step)
		return false;
	kernel_files_graph(step, &to->graph);
	to->call = *from;
	to->call.graph = &to->graph;
	to->call.inputs = to->inputs;
	to->call.scalars = to->scalars;
	to->unread = 0;
	if (graph_reads_input(step))
		to->inputs[step->n] = from->inputs[step->at];
	if (step->kind == GRAPH_SCALAR)
		to->scalars[0] = from->scalars[step->at];
	for (int k = 0; k < step->n; k++)
		if (!take_operand(from, step, k, to))
			return false;
	return true;
}

/* --- Files -------------------------------------------------------------- */

/* Find the path of the file with kernel @name, beside the plugin of @device.
   The caller frees the path with mem_free(). */
static dpr_status find_path(const dpr_device *device, const char *format,
			    const char *name, char **path)
{
	const char *backend = dpr_device_backend(device);
	dpr_plugin_report *list;
	dpr_status status;
	size_t n;

	*path = NULL;
	status = dpr_plugins(0, &list, &n);
	if (status)
		return status;
	for (size_t i = 0; i < n && !*path; i++) {
		const char *slash = strrchr(list[i].file, '/');

		if (list[i].stage != DPR_PLUGIN_READY ||
		    strcmp(list[i].name, backend) != 0 || !slash)
			continue;
		*path = text_format("%.*s/%s-kernels/%s/%s",
				    (int)(slash - list[i].file), list[i].file,
				    backend, format, name);
	}
	dpr_free(list);
	return *path ? DPR_OK : fail_memory("array kernel");
}

bool kernel_files_is_there(const dpr_device *device, const char *format,
			   const char *name)
{
	bool found;
	char *path;

	if (find_path(device, format, name, &path))
		return false;
	found = access(path, R_OK) == 0;
	mem_free(path);
	return found;
}

static dpr_status fail_file(const dpr_device *device, const char *name,
			    const char *path, const char *why)
{
	return fail(DPR_ERROR_UNSUPPORTED,
		    "array kernel: %s has no %s: %s: %s; the backend's author "
		    "can add this file (dpr kernels --source %s)",
		    dpr_device_selector(device), name, text_quote(path).bytes,
		    why, name);
}

/* Read an open file into a block of memory, which the caller frees with
   mem_free().  Returns the reason if the file cannot be used, else NULL.  If
   memory runs out, returns NULL and leaves *@bytes NULL. */
static const char *read_file(int fd, void **bytes, size_t *size)
{
	struct stat st;

	if (fstat(fd, &st))
		return strerror(errno);
	if (!S_ISREG(st.st_mode) || st.st_size == 0)
		return "not a file with a kernel in it";
	if (st.st_mode & S_IWOTH)
		return "everyone may write to it (chmod o-w)";
	if (st.st_size > LARGEST_FILE)
		return "larger than 256 MiB";
	*size = (size_t)st.st_size;
	*bytes = mem_alloc(*size);
	if (*bytes && files_read(fd, *bytes, *size, 0) != (ssize_t)*size) {
		mem_free(*bytes);
		return "it cannot be read";
	}
	return NULL;
}

static dpr_status load_file(const dpr_device *device, const char *name,
			    const char *path, void **bytes, size_t *size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *why;

	*bytes = NULL;
	if (fd < 0)
		return fail_file(device, name, path, strerror(errno));
	why = read_file(fd, bytes, size);
	close(fd);
	if (why)
		return fail_file(device, name, path, why);
	return *bytes ? DPR_OK : fail_memory("array kernel");
}

dpr_status kernel_files_load(dpr_queue *queue, const char *format,
			     const char *name, dpr_program **program,
			     dpr_kernel **kernel)
{
	const dpr_device *device = dpr_queue_device(queue);
	dpr_image image = { .format = format };
	dpr_status status;
	void *bytes;
	char *path;

	*program = NULL;
	*kernel = NULL;
	status = find_path(device, format, name, &path);
	if (status)
		return status;
	status = load_file(device, name, path, &bytes, &image.size);
	if (!status) {
		image.data = bytes;
		status = dpr_program_build(queue, &image, 1, NULL, program);
		mem_free(bytes);
	}
	if (!status)
		status = dpr_kernel_create(*program, name, kernel);
	if (status && *program) {
		dpr_program_release(*program);
		*program = NULL;
	}
	mem_free(path);
	return status;
}
