/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cumock_stream.c - streams, and the threads that run their operations.
 *
 * A stream's operations run one after the other.  Which stream is next depends
 * on settings.order.  Operations of several streams run at the same time, one
 * per worker.
 */
#include "cumock_impl.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* --- Moments --- */

void cumock_stream_drop_moment(struct moment *moment)
{
	if (moment && !--moment->refs)
		free(moment);
}

CUresult cumock_stream_sleep(struct moment *moment)
{
	CUresult error;

	moment->refs++;
	while (!moment->done)
		pthread_cond_wait(&cumock.changed, &cumock.lock);
	error = moment->error;
	cumock_stream_drop_moment(moment);
	return error;
}

CUresult cumock_stream_await(struct moment *moment)
{
	if (!moment)
		return CUDA_SUCCESS;
	if (!moment->done)
		cumock_entry_waits(false);
	return cumock_stream_sleep(moment);
}

CUresult cumock_stream_drain(struct stream *stream)
{
	return cumock_stream_await(stream->end);
}

/* Find a stream of the device that has work, or NULL. */
static struct stream *busy_stream(const struct device *device)
{
	struct stream *stream;

	for (stream = cumock.streams; stream; stream = stream->next)
		if (stream->handle.context->device == device && stream->end &&
		    !stream->end->done)
			return stream;
	return NULL;
}

void cumock_stream_drain_device(struct device *device)
{
	struct stream *stream = busy_stream(device);

	if (stream)
		cumock_entry_waits(true);
	/* This counts as one wait, unlike several calls of
	   cumock_stream_await(). */
	for (; stream; stream = busy_stream(device))
		pthread_cond_wait(&cumock.changed, &cumock.lock);
}

/* --- The workers --- */

static bool is_ready(const struct stream *stream)
{
	const struct operation *op = stream->first;
	unsigned i;

	/* Records and waits run even while work is held, so that a stream with
	   nothing else counts as idle. */
	if (!op || stream->busy || (cumock.held && op->run))
		return false;
	for (i = 0; i < op->n_after; i++)
		if (!op->after[i]->done)
			return false;
	return true;
}

static uint64_t random_number(void)
{
	cumock.random = cumock.random * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
	return cumock.random >> 33;
}

/* Choose the stream that runs next, or NULL. */
static struct stream *choose(void)
{
	struct stream *stream, *best = NULL;
	unsigned n = 0;
	bool better;

	for (stream = cumock.streams; stream; stream = stream->next) {
		if (!is_ready(stream))
			continue;
		n++;
		switch ((enum cumock_order)cumock_settings.order) {
		case CUMOCK_NEWEST:
			better = best &&
				 stream->first->number > best->first->number;
			break;
		case CUMOCK_RANDOM: better = random_number() % n == 0; break;
		case CUMOCK_OLDEST:
		default:
			better = best &&
				 stream->first->number < best->first->number;
		}
		if (!best || better)
			best = stream;
	}
	return best;
}

static void free_operation(struct operation *op)
{
	unsigned i;

	for (i = 0; i < op->n_after; i++)
		cumock_stream_drop_moment(op->after[i]);
	free(op->after);
	free(op->owned);
	cumock_stream_drop_moment(op->moment);
	free(op);
}

/* Forget a stream that was destroyed and has no work. */
static void unlink_stream(struct stream *stream)
{
	struct stream **at = &cumock.streams;

	if (stream->handle.alive || stream->first)
		return;
	while (*at && *at != stream)
		at = &(*at)->next;
	if (*at)
		*at = stream->next;
}

/* A kernel has failed: let everything on its device fail from now on. */
static void lose(struct device *device, CUresult error)
{
	int i;

	for (i = 0; i < cumock_settings.n_devices; i++)
		if ((cumock_settings.spread || &cumock.devices[i] == device) &&
		    !cumock.devices[i].lost)
			cumock.devices[i].lost = error;
}

static void run_first(struct stream *stream)
{
	struct device *device = stream->handle.context->device;
	struct operation *op = stream->first;
	CUresult error = device->lost;

	stream->busy = true;
	if (op->run && (!error || op->always)) {
		cumock.launched += op->function || op->host;
		pthread_mutex_unlock(&cumock.lock);
		if (op->delay)
			usleep((useconds_t)op->delay);
		error = op->run(op);
		pthread_mutex_lock(&cumock.lock);
		if (error)
			lose(device, error);
		error = device->lost;
	}
	op->moment->error = error;
	op->moment->ns = cumock_entry_ns();
	op->moment->done = true;
	cumock.pending--;
	stream->first = op->next;
	if (!stream->first)
		stream->last = NULL;
	stream->busy = false;
	free_operation(op);
	unlink_stream(stream);
	pthread_cond_broadcast(&cumock.changed);
}

static void *work(void *unused)
{
	struct stream *stream;

	(void)unused;
	pthread_mutex_lock(&cumock.lock);
	for (;;) {
		stream = choose();
		if (stream)
			run_first(stream);
		else
			pthread_cond_wait(&cumock.changed, &cumock.lock);
	}
	return NULL;
}

/* Start the workers.  The driver, too, starts threads with a context. */
static bool start_workers(void)
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (cumock.workers < cumock_settings.workers) {
		if (pthread_create(&thread, NULL, work, NULL))
			break;
		pthread_detach(thread);
		cumock.workers++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return cumock.workers > 0;
}

/* --- Streams --- */

struct stream *cumock_stream_new(struct context *context, unsigned flags)
{
	struct stream *stream;

	if (!start_workers())
		return NULL;
	stream = cumock_handle_new(sizeof(*stream), MAGIC_STREAM, context);
	if (!stream)
		return NULL;
	stream->flags = flags;
	stream->next = cumock.streams;
	cumock.streams = stream;
	return stream;
}

/* Get stream 0 of the current context. */
static struct stream *legacy_stream(CUresult *error)
{
	struct context *context = cumock_context_current(error);

	if (!context)
		return NULL;
	if (!context->legacy) {
		context->legacy = cumock_stream_new(context, 0);
		/* Stream 0 belongs to the context, so it is not counted. */
		cumock.live[CUMOCK_STREAMS] -= context->legacy != NULL;
	}
	if (!context->legacy)
		*error = CUDA_ERROR_OUT_OF_MEMORY;
	return context->legacy;
}

struct stream *cumock_stream_get(CUstream handle, CUresult *error)
{
	struct stream *stream;

	if (*error)
		return NULL;
	if (!handle || handle == CU_STREAM_LEGACY)
		return legacy_stream(error);
	if (handle == CU_STREAM_PER_THREAD) {
		*error = cumock_misuse(CUDA_ERROR_NOT_SUPPORTED,
				       "a stream that is another one on each "
				       "thread");
		return NULL;
	}
	stream = cumock_handle_get(handle, MAGIC_STREAM, error);
	if (stream)
		*error = cumock_handle_state(&stream->handle);
	return *error ? NULL : stream;
}

bool cumock_stream_after(struct operation *op, struct moment *moment)
{
	struct moment **list;

	if (!moment || moment->done)
		return true;
	list = realloc(op->after, (op->n_after + 1) * sizeof(*list));
	if (!list)
		return false;
	op->after = list;
	list[op->n_after++] = moment;
	moment->refs++;
	return true;
}

/* Let stream 0 and streams that are not "non-blocking" wait for each other. */
static bool add_legacy(struct operation *op)
{
	struct stream *stream = op->stream, *other;
	struct context *context = stream->handle.context;

	if (stream->flags & CU_STREAM_NON_BLOCKING || !context->legacy)
		return true;
	if (stream != context->legacy)
		return cumock_stream_after(op, context->legacy->end);
	for (other = cumock.streams; other; other = other->next)
		if (other != stream && other->handle.context == context &&
		    !(other->flags & CU_STREAM_NON_BLOCKING) &&
		    !cumock_stream_after(op, other->end))
			return false;
	return true;
}

struct operation *cumock_stream_add(struct stream *stream)
{
	struct operation *op = calloc(1, sizeof(*op));

	if (!op)
		return NULL;
	op->stream = stream;
	op->moment = calloc(1, sizeof(*op->moment));
	if (op->moment)
		op->moment->refs = 1;
	if (!op->moment || !add_legacy(op)) {
		free_operation(op);
		return NULL;
	}
	op->moment->refs = 2; /* one of the operation and one of the stream */
	op->number = ++cumock.submitted;
	op->delay = __atomic_load_n(&cumock_settings.delay, __ATOMIC_RELAXED);
	cumock.pending++;
	if (stream->last)
		stream->last->next = op;
	else
		stream->first = op;
	stream->last = op;
	cumock_stream_drop_moment(stream->end);
	stream->end = op->moment;
	pthread_cond_broadcast(&cumock.changed);
	return op;
}

/* --- The entries --- */

CUresult cumock_cuStreamCreateWithPriority(CUstream *out, unsigned flags,
					   int priority)
{
	CUresult error = cumock_begin(CUMOCK_cuStreamCreateWithPriority);
	struct context *context = cumock_context_current(&error);
	struct stream *stream;

	(void)priority; /* the driver uses its nearest priority */
	if (context && context->green)
		error = cumock_misuse(CUDA_ERROR_NOT_SUPPORTED,
				      "a stream of a green context is made by "
				      "cuGreenCtxStreamCreate");
	if (!error && flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error)
		return cumock_end(error);
	stream = cumock_stream_new(context, flags);
	if (stream)
		*out = (CUstream)stream;
	return cumock_end(stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cumock_cuStreamDestroy(CUstream handle)
{
	CUresult error = cumock_begin(CUMOCK_cuStreamDestroy);
	struct stream *stream = cumock_handle_get(handle, MAGIC_STREAM, &error);

	if (!stream)
		return cumock_end(error);
	/* Work in the stream still runs. */
	cumock_handle_end(stream);
	if (!stream->first)
		unlink_stream(stream);
	return cumock_end(cumock_handle_state(&stream->handle));
}

CUresult cumock_cuStreamSynchronize(CUstream handle)
{
	CUresult error = cumock_begin(CUMOCK_cuStreamSynchronize);
	struct stream *stream = cumock_stream_get(handle, &error);

	if (stream)
		error = cumock_stream_drain(stream);
	if (stream && !error)
		error = cumock_handle_state(&stream->handle);
	return cumock_end(error);
}

CUresult cumock_cuStreamQuery(CUstream handle)
{
	CUresult error = cumock_begin(CUMOCK_cuStreamQuery);
	struct stream *stream = cumock_stream_get(handle, &error);

	if (stream && stream->end && !stream->end->done)
		error = CUDA_ERROR_NOT_READY;
	return cumock_end(error);
}

CUresult cumock_cuStreamGetCtx(CUstream handle, CUcontext *out)
{
	CUresult error = cumock_begin(CUMOCK_cuStreamGetCtx);
	struct stream *stream = cumock_stream_get(handle, &error);

	if (stream)
		*out = (CUcontext)stream->handle.context;
	return cumock_end(error);
}

CUresult cumock_cuStreamIsCapturing(CUstream handle,
				    CUstreamCaptureStatus *status)
{
	CUresult error = cumock_begin(CUMOCK_cuStreamIsCapturing);

	if (cumock_stream_get(handle, &error))
		*status = handle == cumock.captured
				  ? (CUstreamCaptureStatus)1 /* ACTIVE */
				  : CU_STREAM_CAPTURE_STATUS_NONE;
	return cumock_end(error);
}

static CUresult run_host(struct operation *op)
{
	cumock_in_host_function = true;
	op->host(op->user);
	cumock_in_host_function = false;
	return CUDA_SUCCESS;
}

CUresult cumock_cuLaunchHostFunc(CUstream handle, CUhostFn call, void *user)
{
	CUresult error = cumock_begin(CUMOCK_cuLaunchHostFunc);
	struct stream *stream = cumock_stream_get(handle, &error);
	struct operation *op = stream ? cumock_stream_add(stream) : NULL;

	if (op) {
		op->run = run_host;
		op->host = call;
		op->user = user;
		stream->host_functions++;
	} else if (!error) {
		error = CUDA_ERROR_OUT_OF_MEMORY;
	}
	return cumock_end(error);
}
