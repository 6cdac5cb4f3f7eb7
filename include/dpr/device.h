/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - find devices, query them, divide them.
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
 * "level_zero:gpu:0.1" (the second tile) and "opencl:cpu:0/equally:1.0" are all
 * selectors.
 *
 * An index is the number, from 0, of a device among those that the other parts
 * of the term match, whether or not they have its aspects.  Without a backend,
 * the index counts physical devices, in the order of the default device: a GPU
 * that two backends show counts once.  ".k" is sub-device number k of the
 * natural partition: along the domain "next", or along "numa" if the device
 * does not support "next".  The name of a backend that comes with dpr is a
 * known word even where its plugin is not installed.
 *
 * Selecting takes the first term that matches; enumerating takes the union, in
 * the order of the terms.  "!x" removes x from what the other terms match, or
 * from all devices if there is no other term.  Upper and lower case are the
 * same.  An unknown word is DPR_ERROR_SELECTOR; the text has the column and the
 * nearest known word.
 *
 * The first call of a function that needs the list of devices starts the
 * library.  The start reads the environment, loads the plugins and opens the
 * backends that the selector can match.  That can fail with
 * - DPR_ERROR_ENVIRONMENT: a variable has a bad value; later calls fail too.
 * - DPR_ERROR_PLUGIN: a plugin that was requested by file cannot be used.
 * - DPR_ERROR_SHUTDOWN: dpr_finalize() was called.
 * - DPR_ERROR_FORKED: this is a child process, and its parent had opened a
 *   backend before fork().
 */
#ifndef DPR_DEVICE_H
#define DPR_DEVICE_H

#include <dpr/base.h>
#include <dpr/info.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/*
 * Write the devices that @selector matches (NULL or "": all root devices) into
 * @out, which has room for @capacity pointers.  *@count is the number of
 * matches; if it is larger than @capacity, some did not fit.  @capacity 0 with
 * @out NULL only asks for the number.  Entries of @out behind the matches are
 * NULL.  When nothing matches the call succeeds and *@count is 0.  May block
 * while drivers start.
 * DPR_ERROR_SELECTOR: the selector is malformed.
 */
DPR_API DPR_CHECK dpr_status dpr_device_enumerate(
	const char *selector, dpr_device **out, size_t capacity, size_t *count);

/*
 * The first device that @selector matches.  Lost devices are passed over,
 * unless all matches are lost.  NULL: the default device, which is chosen at
 * the first use and never changes.  It is the device that DPR_DEVICE selects,
 * if set.  Otherwise it is the first by type (gpu, accelerator, cpu), then by
 * backend (in the order of DPR_BACKEND if set, else native, portable standard
 * such as opencl, host), then by index.  May block while drivers start.
 * DPR_ERROR_NOT_FOUND: nothing matches.  The text lists the devices of the
 * backends that were started (all backends if the selector is that of
 * DPR_DEVICE), and why each other plugin was not started or failed.
 * DPR_ERROR_SELECTOR: the selector is malformed.
 * If the selector asks for a sub-device, and nothing matches because the device
 * cannot be divided that way, the call returns the status of the failed
 * division.
 */
DPR_API DPR_CHECK dpr_status dpr_device_select(
	const char *selector, dpr_device **out);

/*
 * The best root device, in the order of the default device, that has all of the
 * @n_required aspects and none of the @n_excluded ones.  Aspects are named as
 * in a selector: "gpu", "fp64", "usm_shared".  A lost device is returned only
 * if all that match are lost.  May block while drivers start.
 * DPR_ERROR_INVALID_ARGUMENT: an unknown aspect.
 * DPR_ERROR_NOT_FOUND: no device matches; the text is as for
 * dpr_device_select().
 */
DPR_API DPR_CHECK dpr_status dpr_device_select_where(
	const char *const *required, size_t n_required,
	const char *const *excluded, size_t n_excluded, dpr_device **out);

/*
 * Explain a selection: one line per device says which term took or dropped it.
 * *@text is to be freed with dpr_free().  Opens all backends, and may block
 * while drivers start.  Errors as dpr_device_enumerate().
 */
DPR_API DPR_CHECK dpr_status dpr_device_explain(
	const char *selector, char **text);

/*
 * Copy the value of @key into @value, which has room for @capacity bytes.
 * *@need (may be NULL) is the size of the value.  If @capacity is too small,
 * nothing is written and the status is DPR_ERROR_INVALID_ARGUMENT; but @value
 * NULL with @capacity 0 asks for the size and succeeds.  Calls the driver,
 * except for keys that dpr answers itself.
 * DPR_ERROR_UNSUPPORTED: the driver does not report the value.
 * DPR_ERROR_NOT_FOUND: an unknown key.
 * DPR_ERROR_PLUGIN: the plugin's answer is not a valid value of the key.
 */
DPR_API DPR_CHECK dpr_status dpr_device_info(const dpr_device *device,
	dpr_info key, void *value, size_t capacity, size_t *need);

/* Get the value of a key of type U64, BOOL or FLAGS.  *@value is 0 after a
   failure.  Errors as dpr_device_info(), and
   DPR_ERROR_INVALID_ARGUMENT: a key of another type. */
DPR_API DPR_CHECK dpr_status dpr_device_info_u64(
	const dpr_device *device, dpr_info key, uint64_t *value);

/*
 * The value of a key of type STRING.  Lent as long as the device.  NULL if
 * the driver does not report the value, or if the key has another type.
 */
DPR_API const char *dpr_device_info_string(
	const dpr_device *device, dpr_info key);

/* Whether the device has this aspect, named as in a selector; false for an
   unknown name. */
DPR_API int dpr_device_has(const dpr_device *device, const char *aspect);

/* The device's name, its backend, and a selector that finds it again.  Valid
   until the process ends. */
DPR_API const char *dpr_device_name(const dpr_device *device);
DPR_API const char *dpr_device_backend(const dpr_device *device);
DPR_API const char *dpr_device_selector(const dpr_device *device);
/* CPU, GPU, accelerator or custom; CUSTOM for NULL. */
DPR_API dpr_device_type dpr_device_get_type(const dpr_device *device);

/* The device that this one was divided from; NULL for a root device. */
DPR_API dpr_device *dpr_device_parent(const dpr_device *device);
/* The root device that this one is a part of; a root device is its own. */
DPR_API dpr_device *dpr_device_root(const dpr_device *device);
/* The physical device as another backend shows it; NULL if there is none,
   and for a sub-device. */
DPR_API dpr_device *dpr_device_twin(const dpr_device *device);

/*
 * Divide @device into sub-devices. dpr_device_partition_equally(): as many as
 * fit, of @units compute units each; _counts(): one for each of @counts;
 * _domain(): along an affinity domain.  Where the device reports
 * DPR_INFO_PARTITION_UNIT, @units and @counts are rounded up to multiples of
 * it, but the last count at most to what the others leave of the device.
 * COMPUTE_UNITS of a sub-device is what it really has, never less than was
 * asked for.  Divisions that are the same after rounding give the same
 * pointers.  Writes up to @capacity sub-devices into @out, in a fixed order.
 * *@count is how many there are.
 * DPR_ERROR_INVALID_ARGUMENT: 0 units, an empty list, a count of 0, more units
 * than the device has after rounding, or an unknown domain.
 * DPR_ERROR_UNSUPPORTED: the device cannot be divided that way.
 * DPR_ERROR_DEVICE_LOST: the device is lost.
 */
DPR_API DPR_CHECK dpr_status dpr_device_partition_equally(dpr_device *device,
	uint64_t units, dpr_device **out, size_t capacity, size_t *count);
DPR_API DPR_CHECK dpr_status dpr_device_partition_counts(dpr_device *device,
	const uint64_t *counts, size_t n_counts, dpr_device **out,
	size_t capacity, size_t *count);
DPR_API DPR_CHECK dpr_status dpr_device_partition_domain(dpr_device *device,
	dpr_domain domain, dpr_device **out, size_t capacity, size_t *count);

/*
 * The canonical queue of @device.  It is in-order, made on first use, and
 * always the same pointer.  Lent until dpr_finalize() succeeds; retain and
 * release do nothing.  The first call may fail as dpr_queue_create().
 */
DPR_API DPR_CHECK dpr_status dpr_device_queue(
	dpr_device *device, dpr_queue **out);

DPR_END_DECLS

#endif
