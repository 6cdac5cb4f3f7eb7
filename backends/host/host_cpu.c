/* SPDX-License-Identifier: Apache-2.0 */
/* host_cpu.c - what the system tells about its CPUs and memory. */
#include "host.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool host_cpu_read_file(dprp_instance *instance, char *text, size_t capacity,
			const char *format, ...)
{
	char name[128], path[512];
	size_t size = 0;
	ssize_t got;
	va_list ap;
	int fd;

	va_start(ap, format);
	vsnprintf(name, sizeof(name), format, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s%s", instance->sys_root, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	do {
		got = read(fd, text + size, capacity - 1 - size);
		if (got > 0)
			size += (size_t)got;
	} while (got > 0 && size < capacity - 1);
	close(fd);
	text[size] = '\0';
	return size > 0;
}

/* Whether a list like "0-3,8" contains @id. */
static bool list_has(const char *list, unsigned long id)
{
	unsigned long first, last;
	char *end;

	for (;; list = end + 1) {
		first = strtoul(list, &end, 10);
		if (end == list)
			return false;
		last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
		if (id >= first && id <= last)
			return true;
		if (*end != ',')
			return false;
	}
}

uint32_t host_cpu_nodes(dprp_instance *instance, const struct dprh_cpus *cpus,
			uint32_t *node)
{
	char online[1024], list[4096];
	uint32_t i, found, n = 0;
	unsigned long id;

	memset(node, 0, cpus->n * sizeof(*node));
	if (!host_cpu_read_file(instance, online, sizeof(online),
				"/sys/devices/system/node/online"))
		return 1;
	for (id = 0; id < 1024; id++) {
		if (!list_has(online, id) ||
		    !host_cpu_read_file(
			    instance, list, sizeof(list),
			    "/sys/devices/system/node/node%lu/cpulist", id))
			continue;
		for (i = 0, found = 0; i < cpus->n; i++)
			if (list_has(list, cpus->ids[i])) {
				node[i] = n;
				found++;
			}
		/* A node that has none of our CPUs does not count. */
		n += found > 0;
	}
	return n ? n : 1;
}
