/* SPDX-License-Identifier: Apache-2.0 */
/* host_work.c - the work of a command, cut into pieces for the team. */
#include "host.h"

#include <string.h>

/* The smallest piece: moving fewer bytes takes less time than waking a
   thread. */
#define PIECE ((uint64_t)256 << 10)

/* The size of a piece if the whole team is to move @size bytes. */
static uint64_t piece_bytes(const struct dprh_team *team, uint64_t size)
{
	uint64_t piece = size / (4 * (uint64_t)team->n);

	return piece < PIECE ? PIECE : piece / PIECE * PIECE;
}

static uint64_t pieces_of(uint64_t size, uint64_t piece)
{
	return size / piece + (size % piece != 0);
}

/* Copies of this size and more bypass the caches. */
#define STREAM ((uint64_t)32 << 20)
/* Small pieces, so that a thread that was held up does not delay the others. */
#define STREAM_PIECE ((uint64_t)1 << 20)

struct copy_work {
	const struct host_command *command;
	uint64_t piece;
};

static void copy_piece(void *context, uint32_t member, uint64_t piece)
{
	const struct copy_work *work = context;
	const struct host_command *command = work->command;
	uint64_t at = piece * work->piece, left = command->u.copy.size - at;
	size_t size = (size_t)(left < work->piece ? left : work->piece);

	(void)member;
	if (command->u.copy.size >= STREAM)
		host_copy_stream(command->u.copy.to + at,
				 command->u.copy.from + at, size);
	else
		memcpy(command->u.copy.to + at, command->u.copy.from + at,
		       size);
}

static void run_copy(const struct host_command *command, struct dprh_team *team)
{
	struct copy_work work = { command,
				  piece_bytes(team, command->u.copy.size) };

	if (command->u.copy.size >= STREAM)
		work.piece = STREAM_PIECE;
	dprh_team_run(team, pieces_of(command->u.copy.size, work.piece),
		      copy_piece, &work);
}

struct fill_work {
	const struct host_fill *fill;
	uint64_t piece;
};

static void fill_piece(void *context, uint32_t member, uint64_t piece)
{
	const struct fill_work *work = context;
	const struct host_fill *fill = work->fill;
	uint64_t at = piece * work->piece, end = at + work->piece, n;

	(void)member;
	if (end > fill->size)
		end = fill->size;
	if (fill->pattern_size == 1) {
		memset(fill->to + at, fill->pattern[0], (size_t)(end - at));
		return;
	}
	for (; at < end; at += n) {
		n = end - at < fill->pattern_run ? end - at : fill->pattern_run;
		memcpy(fill->to + at, fill->pattern, (size_t)n);
	}
}

static void run_fill(const struct host_command *command, struct dprh_team *team)
{
	const struct host_fill *fill = command->u.fill;
	struct fill_work work = { fill, piece_bytes(team, fill->size) };

	/* Every piece begins with a whole pattern. */
	work.piece = work.piece / fill->pattern_run * fill->pattern_run;
	dprh_team_run(team, pieces_of(fill->size, work.piece), fill_piece,
		      &work);
}

static void run_launch(const struct host_command *command,
		       struct dprh_team *team)
{
	struct dprh_native_launch launch = command->u.launch;

	dprh_native_team_run(team, &launch);
}

void host_work_run(const struct host_command *command, struct dprh_team *team)
{
	switch (command->kind) {
	case HOST_BARRIER: break;
	case HOST_COPY: run_copy(command, team); break;
	case HOST_FILL: run_fill(command, team); break;
	case HOST_LAUNCH: run_launch(command, team); break;
	}
}
