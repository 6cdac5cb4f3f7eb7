/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl_calls.h - routines of libraries as kernels (DPRP_CALLS_FORMAT).
 *
 * Each library has a struct ocl_library in a file of its own, and is in the
 * list of ocl_calls.c.  A new one also needs a function of ocl_offers.c, and a
 * member of the union in struct ocl_call for what it knows of a routine.
 */
#ifndef OCL_CALLS_H
#define OCL_CALLS_H

#include "backends/opencl/ocl.h"

/* A library, or several that are found in the same way. */
struct ocl_library {
	/* Whether the library may have routines for the device.  It is not
	   opened for that. */
	bool (*offers)(dprp_device *device);
	/*
	 * Find the routine that @image names, and fill in all of @out but
	 * `library`.  The library is opened when it is first needed.
	 * UNSUPPORTED: there is no such routine, or no such library; the text
	 * says what to install.  Another library of the list is then asked.
	 */
	dprp_rc (*find)(dprp_context *context, dprp_device *device,
			const dprp_image *image, struct ocl_call *out);
	/* Submit a launch of a kernel of the library.  *@event is NULL, if
	   there is an @event.  Nothing of the launch has been checked. */
	dprp_rc (*launch)(dprp_queue *queue, dprp_kernel *kernel,
			  const dprp_launch *launch, const dprp_deps *deps,
			  dprp_event **event);
};

/* --- ocl_calls_cpu.c: the CBLAS and the LAPACK of a CPU --- */

extern const struct ocl_library ocl_calls_cpu;

/* --- ocl_clblast.c and ocl_calls_clblast.c: CLBlast --- */

extern const struct ocl_library ocl_calls_clblast;
/* Drop what CLBlast keeps. */
void ocl_clblast_close(dprp_instance *instance);

/* --- ocl_calls.c --- */

/* Entries of the plugin.  Whatever is not of a library goes to ocl_cpu_module()
   and ocl_cpu_launch(). */
dprp_module_create_fn ocl_calls_module;
dprp_queue_launch_fn ocl_calls_launch;

#endif
