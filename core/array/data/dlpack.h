/* SPDX-License-Identifier: Apache-2.0 */
/* dlpack.h - functions for both exporting and importing DLPack tensors. */
#ifndef ARRAY_DLPACK_DATA_H
#define ARRAY_DLPACK_DATA_H

#include <stdbool.h>

#include <dpr/dlpack.h>

/* Get the DLPack device for memory of @kind on @device.  Its type is 0 if there
   is none.  Fails only with DPR_ERROR_OUT_OF_MEMORY. */
dpr_status dlpack_device_of(const dpr_device *device, dpr_usm_kind kind,
			    dpr_dl_device *out);

/* Find the kind of memory of @device that DLPack device @wanted stands for.
   Sets *@out to 0 if there is none.  Errors as dlpack_device_of(). */
dpr_status dlpack_find_kind(const dpr_device *device, dpr_dl_device wanted,
			    dpr_usm_kind *out);

/* Get the canonical queue of the first root device with memory on @wanted.
   DPR_ERROR_UNSUPPORTED: there is none. */
dpr_status dlpack_find_queue(const char *what, dpr_dl_device wanted,
			     dpr_queue **out);

/* Convert a dtype of DLPack.  DPR_DTYPE_DEFAULT: dpr has no such dtype. */
dpr_dtype dlpack_dtype(dpr_dl_dtype type);

/* The array whose memory @managed shares, if dpr_array_to_dlpack() exported it
   without a copy.  NULL for any other tensor.  The array is borrowed. */
dpr_array *dlpack_own_array(const dpr_dlpack *managed);

/* A DLPack device as text for messages, such as "12:0". */
struct dlpack_name {
	char text[32];
};
struct dlpack_name dlpack_device_name(dpr_dl_device device);

#endif
