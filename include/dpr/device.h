/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - finding devices, asking them, dividing them.
 *
 * A selector names devices:
 *
 *   list   = term { "," term }
 *   term   = [ "!" ] ( part { ":" part } { aspect } | aspect { aspect }
 *                      | "pci:" address | "uuid:" hex )
 *   part   = backend | type | index { "." index | "/" how "." index }
 *   aspect = ( "+" | "-" ) name
 *   how    = "equally:" number | "counts:" number { "+" number }
 *            | "domain:" ( "numa" | "l4" | "l3" | "l2" | "l1" | "next" )
 *
 * "gpu", "opencl:cpu", "cuda:1", "0", "gpu+fp64", "cpu-emulated",
 * "level_zero:gpu:0.1" (the second tile), "opencl:cpu:0/equally:1.0" are all
 * selectors.  An index counts from 0 the devices that the other parts of the
 * term match, whatever aspects they have; without a backend it counts physical
 * devices, in the order of the default device, so that a GPU that two backends
 * show counts once.  ".k" is sub-device number k of the natural partition:
 * along the domain "next", or "numa" where the device does not know that.  The
 * name of a backend that comes with dpr is a known word even where its plugin
 * is not installed.  To select is to take the first term that matches; to
 * enumerate is to take the union in the order of the terms.  "!x" removes x
 * from what the other terms match (from everything, if there is no other term).
 * Upper and lower case are the same.  An unknown word is DPR_ERROR_SELECTOR
 * with the column and the nearest known word.
 *
 * All functions that need the list of devices start the library at their first
 * call: they read the environment, load the plugins and open the backends that
 * the selector can match.  That can fail with DPR_ERROR_ENVIRONMENT (a variable
 * has a bad value; the failure is sticky), DPR_ERROR_PLUGIN (a plugin that was
 * asked for by file cannot be used; the text says why), DPR_ERROR_SHUTDOWN
 * (after dpr_finalize) and DPR_ERROR_FORKED (in a child process, when the
 * parent had opened a backend before fork()).
 */
#ifndef DPR_DEVICE_H
#define DPR_DEVICE_H

#include <dpr/base.h>
#include <dpr/info.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/*
 * Write the devices that @selector matches (NULL or "": all root devices) into
 * @out, which has room for @capacity pointers, and the number that there are
 * into *@count; a larger number than @capacity means that some did not fit
 * (capacity 0 with out NULL asks for the number).  Entries of @out behind the
 * matches are NULL.  No match is not an error here: *count is 0.  May block
 * while drivers start.
 * DPR_ERROR_SELECTOR: the selector is malformed.
 */
DPR_API DPR_CHECK dpr_status dpr_device_enumerate(
	const char *selector, dpr_device **out, size_t capacity, size_t *count);

/*
 * The first device that @selector matches and that is not lost, or the first
 * that is if there is no other; NULL: the default device, which is fixed at the
 * first use and stays: DPR_DEVICE if set, else gpu before accelerator before
 * cpu, then the order of DPR_BACKEND if set, else a native backend before one
 * of a portable standard (opencl) before host, then the index.  May block while
 * drivers start.
 * DPR_ERROR_NOT_FOUND: nothing matches; the text lists the devices of the
 * backends that were started (all of them where DPR_DEVICE was to choose), and
 * has a line for each plugin that was not started or did not come up, and why.
 * DPR_ERROR_SELECTOR: as above.  When the selector asks for a sub-device and
 * nothing matches because the device cannot be divided so, the status is that
 * of the division.
 */
DPR_API DPR_CHECK dpr_status dpr_device_select(
	const char *selector, dpr_device **out);

/*
 * The best root device (in the order of the default device) that has all of
 * the @n_required aspects and none of the @n_excluded ones; names as in a
 * selector: "gpu", "fp64", "usm_shared".  A lost one only if there is no other.
 * May block while drivers start.
 * DPR_ERROR_INVALID_ARGUMENT: an unknown aspect.  DPR_ERROR_NOT_FOUND: there is
 * no such device; the text as for dpr_device_select().
 */
DPR_API DPR_CHECK dpr_status dpr_device_select_where(
	const char *const *required, size_t n_required,
	const char *const *excluded, size_t n_excluded, dpr_device **out);

/*
 * Explain a selection: for each device one line that says which term took or
 * dropped it.  *@text is to be freed with dpr_free().
 */
DPR_API DPR_CHECK dpr_status dpr_device_explain(
	const char *selector, char **text);

/*
 * Copy the value of @key into @value, which has room for @capacity bytes; the
 * bytes it takes go into *@need (may be NULL).  When capacity is too small,
 * nothing is written and the status is DPR_ERROR_INVALID_ARGUMENT, except that
 * value NULL with capacity 0 only asks for the size.
 * Asks the driver, except for what dpr knows itself.
 * DPR_ERROR_UNSUPPORTED: the driver does not tell.  DPR_ERROR_NOT_FOUND: there
 * is no such key.  DPR_ERROR_PLUGIN: the plugin's answer is no value of the
 * key.
 */
DPR_API DPR_CHECK dpr_status dpr_device_info(const dpr_device *device,
	enum dpr_info key, void *value, size_t capacity, size_t *need);

/* The same for keys of type U64, BOOL and FLAGS; 0 after a failure.
   DPR_ERROR_INVALID_ARGUMENT: a key of another type. */
DPR_API DPR_CHECK dpr_status dpr_device_info_u64(
	const dpr_device *device, enum dpr_info key, uint64_t *value);

/*
 * The same for keys of type STRING, lent as long as the device; NULL when the
 * driver does not tell, and for a key of another type.
 */
DPR_API const char *dpr_device_info_string(
	const dpr_device *device, enum dpr_info key);

/* Whether the device has the aspect named as in a selector; false also for an
   unknown name. */
DPR_API int dpr_device_has(const dpr_device *device, const char *aspect);

/* The device's name, backend and the selector that finds it again.  Good until
   the process ends. */
DPR_API const char *dpr_device_name(const dpr_device *device);
DPR_API const char *dpr_device_backend(const dpr_device *device);
DPR_API const char *dpr_device_selector(const dpr_device *device);
/* CPU, GPU, accelerator or custom. */
DPR_API enum dpr_device_type dpr_device_get_type(const dpr_device *device);

/* The device that it is a part of, NULL for a root device. */
DPR_API dpr_device *dpr_device_parent(const dpr_device *device);
/* The root device that it is a part of: itself for a root device. */
DPR_API dpr_device *dpr_device_root(const dpr_device *device);
/* The same physical device as shown by another backend, or NULL; NULL also for
   a part of a device. */
DPR_API dpr_device *dpr_device_twin(const dpr_device *device);

/*
 * Divide @device into sub-devices: into as many of @units compute units as fit;
 * one for each of @counts; or along an affinity domain (an enum dpr_domain).
 * The same division gives the same pointers.  Writes up to @capacity of them
 * into @out, in a fixed order, and the number that there are into *@count.
 * DPR_ERROR_INVALID_ARGUMENT: 0 units, an empty list, a count of 0 or more
 * units than there are, an unknown domain.  DPR_ERROR_UNSUPPORTED: the device
 * cannot be divided so.  DPR_ERROR_DEVICE_LOST: the device is lost.
 */
DPR_API DPR_CHECK dpr_status dpr_device_partition_equally(dpr_device *device,
	uint64_t units, dpr_device **out, size_t capacity, size_t *count);
DPR_API DPR_CHECK dpr_status dpr_device_partition_counts(dpr_device *device,
	const uint64_t *counts, size_t n_counts, dpr_device **out,
	size_t capacity, size_t *count);
DPR_API DPR_CHECK dpr_status dpr_device_partition_domain(dpr_device *device,
	enum dpr_domain domain, dpr_device **out, size_t capacity,
	size_t *count);

/*
 * The canonical queue of @device: in-order, made on first use, always the same
 * pointer.  Lent until dpr_finalize() succeeds; to retain or release it does
 * nothing.  The first call may fail as dpr_queue_create().
 */
DPR_API DPR_CHECK dpr_status dpr_device_queue(
	dpr_device *device, dpr_queue **out);

DPR_END_DECLS

#endif
