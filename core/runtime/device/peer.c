/* SPDX-License-Identifier: Apache-2.0 */
/* peer.c - what one root device can do with the memory of another. */
#include "core/runtime/device/peer.h"

#include "core/base/mem.h"

/* What a plugin answered about a pair of devices. */
struct device_peer {
	struct device_peer *next;
	const dpr_device *to;
	uint32_t caps;
};

/* The caller holds the lock. */
static const struct device_peer *find_peer(const dpr_device *from,
					   const dpr_device *to)
{
	const struct device_peer *peer = from->peers;

	while (peer && peer->to != to)
		peer = peer->next;
	return peer;
}

/* Keep an answer.  If memory runs out, the plugin is asked again next time. */
static void keep_peer(dpr_device *from, const dpr_device *to, uint32_t caps)
{
	struct device_peer *peer = mem_alloc(sizeof(*peer));

	if (!peer)
		return;
	pthread_mutex_lock(&from->lock);
	/* Another thread may have been faster. */
	if (!find_peer(from, to)) {
		*peer = (struct device_peer){ from->peers, to, caps };
		from->peers = peer;
		peer = NULL;
	}
	pthread_mutex_unlock(&from->lock);
	mem_free(peer);
}

uint32_t peer_caps(dpr_device *from, dpr_device *to)
{
	const struct device_peer *peer;
	uint32_t caps = 0;
	dprp_rc rc;

	if (from->plugin != to->plugin)
		return 0;
	from = from->root;
	to = to->root;
	pthread_mutex_lock(&from->lock);
	peer = find_peer(from, to);
	pthread_mutex_unlock(&from->lock);
	/* Needs no lock: an entry of the list never changes. */
	if (peer)
		return peer->caps;
	rc = from->plugin->device.peer(from->handle, to->handle, &caps);
	if (rc)
		caps = 0;
	/* Other failures may be temporary, so they are not kept. */
	if (!rc || rc == DPR_RC_UNSUPPORTED)
		keep_peer(from, to, caps);
	return caps;
}
