/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - the numbered rules of <dpr/backend.h>, each in a sentence. */
#include "tools/kit/rules.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *number, *text;
} rules[] = {
	{ "G2", "Unknown bytes of a longer struct are zero, or it is refused "
		"with UNSUPPORTED." },
	{ "G3", "At most struct_size bytes of a struct are written, and "
		"struct_size stays." },
	{ "G4", "The host table may be longer than the plugin knows." },
	{ "G5", "A table is not shorter than in version 1.0." },
	{ "G6", "Entries marked R are required." },
	{ "G7", "Unknown flags, kinds and extensions are refused with "
		"UNSUPPORTED." },
	{ "P1", "After OK every output is set, and a handle is not NULL." },
	{ "P2", "After a failure nothing was made or enqueued." },
	{ "E1", "An entry returns OK or a negative code of the list." },
	{ "E2", "Before an entry returns a code it calls set_error() in the "
		"same thread, with that code and a sentence." },
	{ "E3", "A plugin prints nothing." },
	{ "E4", "A plugin changes no signal handler, environment variable or "
		"locale." },
	{ "T1", "Entries may be called by several threads at the same time." },
	{ "T2", "Threads of a plugin have all signals blocked." },
	{ "T3", "close() ends the threads of the plugin." },
	{ "T4", "A child process of a plugin has neither the standard input "
		"nor the standard output of the program." },
	{ "W1", "No entry but finish and event->wait waits for work." },
	{ "W2", "Entries that submit return soon." },
	{ "W3", "event->status and notify return soon." },
	{ "L1", "Events and memory may outlive their queue." },
	{ "L2", "A dependency may be destroyed once it was given, and a queue "
		"while its work runs; the work completes." },
	{ "L3", "A process may end while work is under way." },
	{ "L4", "A process goes on when it has made a child." },
	{ "H1", "Blocks of host->alloc() are freed once, by host->free()." },
	{ "H2", "host->log() gets a level from 1 to 5, and a line." },
	{ "H3", "Calls for a lost device fail, and pending events end." },
	{ "H4", "When host->alloc() returns NULL, the call fails with "
		"OOM_HOST, or does without." },
	{ "H5", "device_lost() is called before an event or an entry shows the "
		"loss." },
	{ "Y1", "Dependencies may contain an event twice, or one that is "
		"over." },
	{ "Y3", "A submission starts when its dependencies are over." },
	{ "Y2", "When a dependency fails, the submission fails." },
	{ "M1", "An allocation of size 0 is INVALID." },
	{ "M2", "A kind that the device lacks is UNSUPPORTED; others can be "
		"allocated." },
	{ "M3", "Memory is aligned as requested." },
	{ "M4", "An allocation that is too large for the device is "
		"OOM_DEVICE." },
	{ "M5", "Memory has an address that is not NULL, or none where "
		"ASPECT_ADDRESSES is 0." },
	{ "M6", "mem->info answers as device->info does." },
	{ "M7", "The host uses HOST and SHARED memory at its address." },
	{ "M8", "Imported memory is the program's memory." },
	{ "Q1", "A queue can be made, with a subset of the flags." },
	{ "Q2", "queue->destroy waits for nothing." },
	{ "Q3", "After flush all submitted work runs without a further call." },
	{ "Q4", "finish waits until everything submitted before is over." },
	{ "Q5", "finish returns a failure once." },
	{ "Q6", "A barrier completes after its deps, or after all earlier "
		"work; later work starts after it." },
	{ "Q7", "write and read take HOST and imported memory." },
	{ "Q8", "write and read move the bytes, and no others." },
	{ "Q9", "copy copies the bytes, and no others." },
	{ "Q10", "A launch runs each work-item once, with its arguments." },
	{ "Q11", "Several threads may launch a kernel on several queues." },
	{ "Q12", "fill repeats the pattern, and changes no other bytes." },
	{ "Q13", "prefetch changes no bytes." },
	{ "S1", "deps may be NULL." },
	{ "S2", "event may be NULL." },
	{ "S3", "All that a submission is given is copied, but for the host "
		"memory of write and read." },
	{ "S4", "A submission of size 0 is ordered like any other." },
	{ "S5", "On an in-order queue a submission starts when all earlier "
		"ones are over." },
	{ "S6", "On an out-of-order queue a submission starts after its deps "
		"and earlier barriers." },
	{ "S7", "finish, event->wait and queue->destroy flush." },
	{ "S8", "CANNOT_WAIT is an answer to dependencies alone." },
	{ "S9", "HOST_MEMORY is an answer of write and read alone." },
	{ "N1", "The state of an event is a known one, and never decreases." },
	{ "N2", "Times of an event that is done are in order, on the device's "
		"clock." },
	{ "N3", "Without profiling, times are zero." },
	{ "N5", "status gives the state, and a sentence if it has failed." },
	{ "N6", "wait returns OK when all events are over, and work that is "
		"done has its effect." },
	{ "N7", "wait with a time limit returns TIMEOUT, or OK." },
	{ "N8", "An event may be destroyed before it is over." },
	{ "N9", "notify calls event_done() once, when the event is over." },
	{ "N10", "event_done() is called with no lock of the plugin held." },
	{ "V1", "The number of devices never changes." },
	{ "V2", "A device is the same handle each time." },
	{ "V3", "info gives the size of a value, with and without a buffer." },
	{ "V4", "A buffer that is too small stays unchanged; INVALID." },
	{ "V5", "An unknown key is UNSUPPORTED." },
	{ "V6", "A value has the form that info.h gives." },
	{ "V7", "partition gives sub-devices as asked, in a fixed order." },
	{ "V8", "What peer promises works." },
	{ "V9", "clocks reads the device's clock and CLOCK_MONOTONIC." },
	{ "C1", "A context can be made for any root device." },
	{ "D1", "The descriptor has valid numbers." },
	{ "D2", "Strings end within 4096 bytes, and are not NULL." },
	{ "D3", "The name is [a-z][a-z0-9_]{1,31}, as in the file's name." },
	{ "D4", "Advice is a text without a full stop, or NULL." },
	{ "D5", "Everything is inside the file, and entries are in its code." },
	{ "D6", "The entry symbol, and loading the file, have no side "
		"effects." },
	{ "O1", "Without a driver, open returns NO_DRIVER." },
	{ "O2", "A bad value of an option is INVALID." },
	{ "O3", "open may be called again, and two instances may be open." },
	{ "O5", "close frees everything, and leaves no child process." },
	{ "K1", "pick chooses the best image, or is UNSUPPORTED." },
	{ "K2", "A module that does not build is BUILD, and the log has the "
		"reason." },
	{ "K3", "A build flag that cannot be heeded is UNSUPPORTED." },
	{ "K4", "A kernel is found by its name, a new handle each time; "
		"INVALID if there is none." },
	{ "K5", "kernel_info answers as device->info does." },
	{ "K9", "With a 0 in the range nothing runs, and the launch completes "
		"in its turn." },
	{ "K10", "Constants that the format does not have are UNSUPPORTED." },
	{ "K11", "A module can be made of the binary that it gave." },
	{ "K12", "Native kernels get values aligned to 16 bytes, and local "
		 "memory to 64, which each group has for itself." },
	{ "X1", "A routine is found by its name, and the log gets a line; "
		"UNSUPPORTED if there is none." },
	{ "X2", "A routine computes what its table says, and writes no other "
		"bytes." },
	{ "X3", "A flag that a routine of LAPACK does not have is INVALID." },
	{ "X4", "info says whether a matrix has a result; with NaN, too, the "
		"routine returns." },
};

const char *rules_text(const char *number)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!strcmp(rules[i].number, number))
			return rules[i].text;
	return "";
}
