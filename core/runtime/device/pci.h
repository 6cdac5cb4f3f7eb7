/* SPDX-License-Identifier: Apache-2.0 */
/* pci.h - PCI addresses as text. */
#ifndef RUNTIME_PCI_H
#define RUNTIME_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read "0000:3b:00.0" or "3b:00.0", of @length characters, into domain, bus,
   device and function.  Returns whether it is well formed. */
bool pci_parse(const char *address, size_t length, uint32_t out[4]);

#endif
