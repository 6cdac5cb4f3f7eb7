/* SPDX-License-Identifier: Apache-2.0 */

/* two_processes.c - heat in a rod, half of it in each of two processes.  Each
   process has its own device; the ends of the halves go through a socket. */
#include <dpr/dpr.h>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HALF = 32, STEPS = 200 };

/* guide: rod */
/* HALF cells, and a cell at each end that belongs to a neighbour: the halo. */
struct rod {
	dpr_array *cells[2]; /* one is read while the other is written */
	dpr_array *inside[2], *edge[2], *halo[2];
};
/* guide: end */

static dpr_status make_rod(struct rod *rod, int right)
{
	float cells[HALF + 2] = { 0 };
	dpr_status status = DPR_OK;

	if (!right)
		cells[0] = 100; /* the hot end */
	for (int k = 0; k < 2 && !status; k++)
		if ((status = dpr_array_from_memory(
			     cells, DPR_SHAPE(HALF + 2), NULL, DPR_FLOAT32,
			     NULL, &rod->cells[k])) ||
		    (status = dpr_array_view(rod->cells[k], &rod->inside[k],
					     DPR_SLICE(1, -1, 1))) ||
		    (status = dpr_array_view(rod->cells[k], &rod->edge[k],
					     DPR_AT(right ? 1 : HALF))) ||
		    (status = dpr_array_view(rod->cells[k], &rod->halo[k],
					     DPR_AT(right ? 0 : HALF + 1))))
			return status;
	return status;
}

/* guide: swap */
/* Send @bytes to the neighbour, and receive as many. */
static int swap(int neighbour, const void *send, void *receive, size_t bytes)
{
	return write(neighbour, send, bytes) == (ssize_t)bytes &&
	       read(neighbour, receive, bytes) == (ssize_t)bytes;
}
/* guide: end */

/* guide: copy */
/* Through memory of the program: for every device. */
static dpr_status exchange_copies(struct rod *rod, int next, int neighbour)
{
	float mine, theirs;
	dpr_status status = dpr_array_to_memory(rod->edge[next], &mine,
						sizeof(mine), NULL);

	if (status)
		return status;
	if (!swap(neighbour, &mine, &theirs, sizeof(mine)))
		return DPR_ERROR_FILE;
	return dpr_array_set_memory(rod->halo[next], &theirs, NULL);
}
/* guide: end */

/* guide: exchange */
/* In place, where the host may use the memory. */
static dpr_status exchange(struct rod *rod, int next, int neighbour)
{
	const float *edge = dpr_array_data(rod->edge[next]);
	float *halo = dpr_array_data(rod->halo[next]);
	dpr_status status;

	if (!edge || !halo)
		return exchange_copies(rod, next, neighbour);
	if ((status = dpr_queue_wait(dpr_array_queue(rod->cells[next]))))
		return status;
	return swap(neighbour, edge, halo, sizeof(*edge)) ? DPR_OK :
							    DPR_ERROR_FILE;
}
/* guide: end */

/* guide: device */
/* The device's address of the first element; NULL: there are no addresses. */
static char *address(const dpr_array *x)
{
	char *base = dpr_usm_address(dpr_array_usm(x));

	return base ? base + (size_t)dpr_array_offset(x) *
				     dpr_array_itemsize(x) :
		      NULL;
}

static dpr_status exchange_on_device(struct rod *rod, int next, int neighbour)
{
	char *edge = address(rod->edge[next]);
	char *halo = address(rod->halo[next]);
	dpr_status status;

	if (!edge || !halo)
		return exchange_copies(rod, next, neighbour);
	if ((status = dpr_queue_wait(dpr_array_queue(rod->cells[next]))))
		return status;
	return swap(neighbour, edge, halo, sizeof(float)) ? DPR_OK :
							    DPR_ERROR_FILE;
}
/* guide: end */

/* Exchange in the way that the first letter of an argument names. */
static dpr_status exchange_as(char way, struct rod *rod, int next,
			      int neighbour)
{
	switch (way) {
	case 'c':
		return exchange_copies(rod, next, neighbour);
	case 'd':
		return exchange_on_device(rod, next, neighbour);
	default:
		return exchange(rod, next, neighbour);
	}
}

/* guide: step */
static dpr_status run(struct rod *rod, int neighbour, char way)
{
	dpr_status status = DPR_OK;

	for (int i = 1; i <= STEPS && !status; i++) {
		const int next = i % 2;

		status = dpr_evaluate_into(
			"u[1:-1] + 0.25*(u[:-2] - 2*u[1:-1] + u[2:])",
			rod->inside[next], "u", rod->cells[!next]);
		if (!status)
			status = exchange_as(way, rod, next, neighbour);
	}
	return status;
}
/* guide: end */

static int work(int right, int neighbour, char way)
{
	struct rod rod = { 0 };
	dpr_array *sum = NULL;
	dpr_status status;
	double heat = 0, other;

	if ((status = make_rod(&rod, right)) ||
	    (status = run(&rod, neighbour, way)) ||
	    (status = dpr_evaluate("sum(u)", NULL, &sum, "u",
				   rod.inside[STEPS % 2])) ||
	    (status = dpr_array_item_double(sum, &heat)))
		fprintf(stderr, "two_processes: %s\n", dpr_last_error());
	else if (!swap(neighbour, &heat, &other, sizeof(heat)))
		status = DPR_ERROR_FILE;
	else if (!right)
		printf("%.1f in this half, %.1f in the other\n", heat, other);
	dpr_array_release(sum);
	for (int k = 0; k < 2; k++) {
		dpr_array_release(rod.halo[k]);
		dpr_array_release(rod.edge[k]);
		dpr_array_release(rod.inside[k]);
		dpr_array_release(rod.cells[k]);
	}
	return status != DPR_OK;
}

/* guide: main */
int main(int argc, char **argv)
{
	const char way = argc > 1 ? argv[1][0] : 'p';
	int ends[2], status = 1;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	child = fork(); /* before the first call of dpr */
	if (child < 0)
		return 1;
	if (child == 0) {
		close(ends[0]);
		return work(1, ends[1], way);
	}
	close(ends[1]);
	if (work(0, ends[0], way))
		return 1;
	close(ends[0]);
	return waitpid(child, &status, 0) != child || status != 0;
}
/* guide: end */
