/* SPDX-License-Identifier: Apache-2.0 */
/* pci.c - PCI addresses as text. */
#include "core/runtime/device/pci.h"

#include <ctype.h>
#include <string.h>

bool pci_parse(const char *address, size_t length, uint32_t out[4])
{
	static const char separators[3] = { ':', ':', '.' };
	const char *end = address + length, *at;
	int colons = 0, field;

	for (at = address; at < end; at++)
		colons += *at == ':';
	memset(out, 0, 4 * sizeof(*out));
	at = address;
	for (field = colons == 1 ? 1 : 0; field < 4; field++) {
		uint32_t n = 0;
		int digits = 0;

		for (; at < end && isxdigit((unsigned char)*at); at++) {
			int c = tolower((unsigned char)*at);

			if (++digits > 8)
				return false;
			n = n * 16 +
			    (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
		}
		if (!digits)
			return false;
		out[field] = n;
		if (field < 3 && (at >= end || *at++ != separators[field]))
			return false;
	}
	return at == end;
}
