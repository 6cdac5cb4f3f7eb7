/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_clock.c - the clock of a device.
 *
 * The driver's readings have a limited number of bits and wrap around; the time
 * stamps of events wrap even sooner.  The plugin extends them to 64-bit ticks
 * that do not wrap.  The result is the smallest number that ends with the bits
 * of the reading and is not before a moment that is known to be earlier.
 */
#include "ze_objects.h"

#define SECOND UINT64_C(1000000000)
/* A reading older than this is replaced by a new one.  To a younger one the
   time that has passed on the host's clock is added. */
#define OLD_NS 100000000u

void ze_clock_init(dprp_device *device)
{
	const ze_device_properties_t *properties = &device->properties;
	struct ze_clock *clock = &device->clock;
	uint64_t resolution = properties->timerResolution;

	/* The old form of the properties gives nanoseconds per tick, the form
	   of version 1.2 gives ticks per second. */
	clock->ns = SECOND;
	clock->per = resolution;
	if (properties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES) {
		clock->ns = resolution;
		clock->per = 1;
	}
	if (!resolution)
		clock->ns = clock->per = 1;
	clock->bits = properties->timestampValidBits;
	clock->event_bits = properties->kernelTimestampValidBits;
	pthread_mutex_init(&clock->lock, NULL);
}

void ze_clock_fini(dprp_device *device)
{
	pthread_mutex_destroy(&device->clock.lock);
}

/* value * times / by, correct even if value * times does not fit in 64 bits. */
static uint64_t scale(uint64_t value, uint64_t times, uint64_t by)
{
	return value / by * times + value % by * times / by;
}

uint64_t ze_clock_to_ns(const dprp_device *device, uint64_t ticks)
{
	return scale(ticks, device->clock.ns, device->clock.per);
}

static uint64_t to_ticks(const struct ze_clock *clock, uint64_t ns)
{
	return scale(ns, clock->per, clock->ns);
}

/* The smallest number that is at least @least and has the same low @bits as
   @value. */
static uint64_t unwrap(uint64_t value, uint32_t bits, uint64_t least)
{
	uint64_t period, whole;

	if (!bits || bits >= 64)
		return value;
	period = UINT64_C(1) << bits;
	whole = (least & ~(period - 1)) | (value & (period - 1));
	return whole < least ? whole + period : whole;
}

/* One second before @ticks.  That is far more than the error with which the
   clocks are compared. */
static uint64_t before(const struct ze_clock *clock, uint64_t ticks)
{
	uint64_t second = to_ticks(clock, SECOND);

	return ticks > second ? ticks - second : 0;
}

uint64_t ze_clock_before(const dprp_device *device, uint64_t ticks)
{
	return before(&device->clock, ticks);
}

uint64_t ze_clock_unwrap(const dprp_device *device, uint64_t stamp,
			 uint64_t least)
{
	return unwrap(stamp, device->clock.event_bits, least);
}

/* Read the root's clock, which its tiles share.  The clock's lock must be
   held. */
static dprp_rc read_locked(dprp_device *root)
{
	struct ze_clock *clock = &root->clock;
	uint64_t start = dprh_now(), unused = 0, ticks = 0, now;
	ze_result_t result = root->instance->ze.zeDeviceGetGlobalTimestamps(
		root->ze, &unused, &ticks);

	if (result)
		return dprh_fail(root->instance->host, DPR_RC_UNSUPPORTED,
				 (int64_t)result,
				 "zeDeviceGetGlobalTimestamps: %s: "
				 "the driver cannot read the device's "
				 "clock",
				 ze_error_name(result));
	now = start + (dprh_now() - start) / 2;
	clock->ticks = unwrap(
		ticks, clock->bits,
		!clock->known ? 0
			      : before(clock,
				       clock->ticks +
					       to_ticks(clock,
							now - clock->host_ns)));
	clock->host_ns = now;
	clock->known = true;
	return DPR_RC_OK;
}

uint64_t ze_clock_now(dprp_device *device)
{
	dprp_device *root = device->root;
	struct ze_clock *clock = &root->clock;
	uint64_t now = dprh_now(), ticks = 0;

	pthread_mutex_lock(&clock->lock);
	if (!clock->known || now - clock->host_ns > OLD_NS)
		read_locked(root);
	if (clock->known && now < clock->host_ns)
		ticks = clock->ticks;
	else if (clock->known)
		ticks = clock->ticks + to_ticks(clock, now - clock->host_ns);
	pthread_mutex_unlock(&clock->lock);
	return ticks;
}

dprp_rc ze_clock_both(dprp_device *device, uint64_t *device_ns,
		      uint64_t *host_ns)
{
	struct ze_clock *clock = &device->root->clock;
	dprp_rc rc;

	pthread_mutex_lock(&clock->lock);
	rc = read_locked(device->root);
	*device_ns = ze_clock_to_ns(device->root, clock->ticks);
	*host_ns = clock->host_ns;
	pthread_mutex_unlock(&clock->lock);
	return rc;
}
