/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_device.c - the entries of devices and contexts. */
#include "core/runtime/layer/wrap_device.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/runtime/layer/answer.h"
#include "core/runtime/layer/rules/form.h"

/* How far two clocks may be apart that are read on a busy machine, and how long
   one must have run before its speed is checked, in nanoseconds. */
#define CLOCK_ERROR UINT64_C(200000000)
#define CLOCK_RUN UINT64_C(1000000000)

/* --- Devices ----------------------------------------------------------------
 */

static dprp_rc wrap_count(dprp_instance *instance, uint32_t *n)
{
	uint32_t got = PASSAGE_NUMBER, again = PASSAGE_NUMBER;
	struct passage p;
	void *real;
	dprp_rc rc = passage_begin(&p, ENTRY_device_count, TAG_INSTANCE,
				   instance, &real);

	if (rc)
		return rc;
	rc = passage_end(&p, p.layer->device.count(real, &got));
	if (rc)
		return rc;
	*n = got == PASSAGE_NUMBER ? 0 : got;
	if (!p.layer->checks)
		return rc;
	if (got == PASSAGE_NUMBER)
		passage_bad(&p, "P1", "the number in *n",
			    "DPR_RC_OK, and *n was not set");
	passage_probe();
	rc = p.layer->device.count(real, &again);
	passage_probed();
	if (rc || again != got)
		passage_bad(&p, "V1", "the same number each time",
			    "%u devices, then %u", (unsigned)got,
			    (unsigned)again);
	return DPR_RC_OK;
}

/* What the core gets for a device: the same each time. */
static void *show_device(struct passage *p, dprp_rc rc, struct tag *tag,
			 dprp_device *real)
{
	void *shown = !rc && real != PASSAGE_UNSET
			      ? tag_shown(p->layer, TAG_DEVICE, real)
			      : NULL;

	if (!shown)
		return passage_made(p, rc, tag, real);
	tag_drop(tag);
	return shown;
}

static dprp_rc wrap_get(dprp_instance *instance, uint32_t index,
			dprp_device **out)
{
	dprp_device *got = PASSAGE_UNSET, *again = PASSAGE_UNSET;
	struct passage p;
	struct tag *tag;
	void *real;
	dprp_rc rc = passage_begin(&p, ENTRY_device_get, TAG_INSTANCE, instance,
				   &real);

	if (rc)
		return rc;
	tag = tag_new(p.layer, TAG_DEVICE, 0);
	if (!tag)
		return passage_cancel(&p, DPR_RC_OOM_HOST);
	rc = passage_end(&p, p.layer->device.get(real, index, &got));
	if (!rc && p.layer->checks) {
		passage_probe();
		(void)!p.layer->device.get(real, index, &again);
		passage_probed();
		if (again != got)
			passage_bad(&p, "V2", "the same handle each time",
				    "two handles of device %u",
				    (unsigned)index);
	}
	*out = show_device(&p, rc, tag, got);
	return rc;
}

/* --- Properties -------------------------------------------------------------
 */

static dprp_rc ask_device(const struct answer *a, void *buffer, size_t capacity,
			  size_t *need)
{
	return a->p->layer->device.info(a->device, a->key, buffer, capacity,
					need);
}

static dprp_rc wrap_info(dprp_device *device, uint32_t key, void *buffer,
			 size_t capacity, size_t *need)
{
	struct passage p;
	void *real;
	dprp_rc rc =
		passage_begin(&p, ENTRY_device_info, TAG_DEVICE, device, &real);

	if (rc)
		return rc;
	return answer_get(&(struct answer){ &p, ask_device, NULL, real, key,
					    buffer, capacity, need, form_bad,
					    "V6" });
}

/* --- Divisions --------------------------------------------------------------
 */

/* Check the parts that the plugin wrote; the element behind them must be
   unset. */
static void check_parts(struct passage *p, const void *whole,
			dprp_device *const *parts, uint32_t n,
			uint32_t capacity)
{
	uint32_t i, j;

	if (parts[capacity] != PASSAGE_UNSET)
		passage_bad(p, "V7", "at most `capacity` sub-devices",
			    "a write behind the %u places", (unsigned)capacity);
	for (i = 0; i < n && n <= capacity; i++) {
		for (j = 0; j < i && parts[j] != parts[i];)
			j++;
		if (parts[i] == whole || j < i)
			passage_bad(p, "V7", "a device of its own for each",
				    "part %u is %s", (unsigned)i,
				    j < i ? "another part too"
					  : "the device itself");
	}
}

/* Show the parts to the core.  Returns a code. */
static dprp_rc show_parts(struct passage *p, uintptr_t whole,
			  dprp_device *const *parts, dprp_device **out,
			  uint32_t n)
{
	struct tag *tag;
	uint32_t i;

	for (i = 0; i < n; i++) {
		tag = tag_new(p->layer, TAG_DEVICE, 0);
		if (!tag)
			return DPR_RC_OOM_HOST;
		tag->u.device.root = whole;
		out[i] = show_device(p, DPR_RC_OK, tag, parts[i]);
	}
	return DPR_RC_OK;
}

static dprp_rc wrap_partition(dprp_device *device, const dprp_partition *how,
			      dprp_device **out, uint32_t capacity, uint32_t *n)
{
	uint32_t got = PASSAGE_NUMBER, i;
	dprp_device **parts;
	struct passage p;
	void *real;
	dprp_rc rc = passage_begin(&p, ENTRY_device_partition, TAG_DEVICE,
				   device, &real);

	if (rc)
		return rc;
	parts = mem_array((size_t)capacity + 1, sizeof(dprp_device *));
	if (!parts)
		return passage_cancel(&p, DPR_RC_OOM_HOST);
	for (i = 0; i <= capacity; i++)
		parts[i] = PASSAGE_UNSET;
	rc = passage_end(&p, p.layer->device.partition(real, how, parts,
						       capacity, &got));
	if (!rc && got == PASSAGE_NUMBER) {
		passage_bad(&p, "P1", "the number in *n",
			    "DPR_RC_OK, and *n was not set");
		got = 0;
	}
	if (!rc) {
		check_parts(&p, real, parts, got, capacity);
		*n = got;
		if (got <= capacity)
			rc = show_parts(&p, tag_number(device), parts, out,
					got);
	}
	mem_free(parts);
	return rc;
}

/* --- Pairs and clocks -------------------------------------------------------
 */

static dprp_rc wrap_peer(dprp_device *from, dprp_device *to, uint32_t *caps)
{
	uint32_t got = PASSAGE_NUMBER;
	struct passage p;
	void *real, *other;
	dprp_rc rc =
		passage_begin(&p, ENTRY_device_peer, TAG_DEVICE, from, &real);

	if (rc)
		return rc;
	other = passage_real(&p, TAG_DEVICE, to);
	if (!other)
		return passage_cancel(&p, DPR_RC_ABI);
	rc = passage_end(&p, p.layer->device.peer(real, other, &got));
	if (rc)
		return rc;
	if (got == PASSAGE_NUMBER)
		passage_bad(&p, "P1", "the bits in *caps",
			    "DPR_RC_OK, and *caps was not set");
	else
		*caps = got;
	return rc;
}

/* The clock's first reading, which is this one if there was none. */
static struct tag_device first_reading(uintptr_t number, uint64_t device_ns,
				       uint64_t host_ns)
{
	struct tag *tag = tag_get(TAG_DEVICE, number);
	struct tag_device first = { .device_ns = device_ns,
				    .host_ns = host_ns };

	if (!tag)
		return first;
	if (!tag->u.device.host_ns) {
		tag->u.device.device_ns = device_ns;
		tag->u.device.host_ns = host_ns;
	}
	first = tag->u.device;
	tag_put();
	return first;
}

static void check_clocks(struct passage *p, uintptr_t number, uint64_t before,
			 uint64_t device_ns, uint64_t host_ns)
{
	struct tag_device first = first_reading(number, device_ns, host_ns);
	uint64_t host = host_ns - first.host_ns;
	uint64_t device = device_ns - first.device_ns;

	if (host_ns + CLOCK_ERROR < before ||
	    host_ns > clock_now() + CLOCK_ERROR)
		passage_bad(p, "V9", "the time of CLOCK_MONOTONIC",
			    "a host clock %lld ns after the call began",
			    (long long)(host_ns - before));
	else if (host_ns > first.host_ns && host > CLOCK_RUN &&
		 (device < host / 2 || device > 2 * host))
		passage_bad(p, "V9", "a clock of the device in nanoseconds",
			    "%lld ns of the device's clock in %lld ns",
			    (long long)device, (long long)host);
}

static dprp_rc wrap_clocks(dprp_device *device, uint64_t *device_ns,
			   uint64_t *host_ns)
{
	uint64_t before = clock_now();
	struct passage p;
	void *real;
	dprp_rc rc = passage_begin(&p, ENTRY_device_clocks, TAG_DEVICE, device,
				   &real);

	if (rc)
		return rc;
	rc = passage_end(&p, p.layer->device.clocks(real, device_ns, host_ns));
	if (!rc && p.layer->checks)
		check_clocks(&p, tag_number(device), before, *device_ns,
			     *host_ns);
	return rc;
}

/* --- Contexts ---------------------------------------------------------------
 */

static dprp_rc wrap_create(dprp_instance *instance, dprp_device *root,
			   const dprp_ext *ext, dprp_context **out)
{
	dprp_context *made = PASSAGE_UNSET;
	void *real, *device;
	struct passage p;
	struct tag *tag;
	dprp_rc rc = passage_begin(&p, ENTRY_context_create, TAG_INSTANCE,
				   instance, &real);

	if (rc)
		return rc;
	device = passage_real(&p, TAG_DEVICE, root);
	if (!device)
		return passage_cancel(&p, DPR_RC_ABI);
	tag = tag_new(p.layer, TAG_CONTEXT, 0);
	if (!tag)
		return passage_cancel(&p, DPR_RC_OOM_HOST);
	rc = passage_end(&p, p.layer->context.create(real, device, ext, &made));
	*out = passage_made(&p, rc, tag, made);
	return rc;
}

static void wrap_destroy(dprp_context *context)
{
	static const enum tag_kind kinds[] = { TAG_QUEUE, TAG_MEM, TAG_MODULE };
	uintptr_t number = tag_number(context);
	struct passage p;
	size_t i, left = 0;
	void *real;

	if (passage_begin(&p, ENTRY_context_destroy, TAG_CONTEXT, context,
			  &real))
		return;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		left += tag_count(p.layer, kinds[i], number);
	if (left)
		passage_bad(&p, FINDING_CORE,
			    "a context whose handles have been destroyed",
			    "one of which %zu are left", left);
	if (tag_remove(TAG_CONTEXT, number))
		p.layer->context.destroy(real);
	(void)passage_end(&p, DPR_RC_OK);
}

void wrap_device_install(struct layer *layer, dprp_device_ops *device,
			 dprp_context_ops *context)
{
	const dprp_device_ops *own = layer->desc->device;

	device->count = wrap_count;
	device->get = wrap_get;
	device->info = wrap_info;
	if (DPRP_HAS(own, dprp_device_ops, partition))
		device->partition = wrap_partition;
	if (DPRP_HAS(own, dprp_device_ops, peer))
		device->peer = wrap_peer;
	if (DPRP_HAS(own, dprp_device_ops, clocks))
		device->clocks = wrap_clocks;
	context->create = wrap_create;
	context->destroy = wrap_destroy;
}
