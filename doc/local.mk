# SPDX-License-Identifier: Apache-2.0
# Documentation: man pages go to dist_man_MANS, the rest to EXTRA_DIST.

EXTRA_DIST += %D%/RATIONALE.md %D%/parity.awk %D%/parity.list %D%/parity.md \
	%D%/tested-on.md %D%/tour.md

# For users; and for authors of backends.
dist_doc_DATA = %D%/invalid-contents.md
dist_doc_DATA += %D%/abi.md %D%/writing-a-backend.md

dist_man_MANS += \
	%D%/man/dpr.1 \
	%D%/man/dpr-backend.7 \
	%D%/man/dpr-bench.1 \
	%D%/man/dpr-cache.1 \
	%D%/man/dpr-check-plugin.1 \
	%D%/man/dpr-devices.1 \
	%D%/man/dpr-doctor.1 \
	%D%/man/dpr-eval.1 \
	%D%/man/dpr-expression.7 \
	%D%/man/dpr-kernels.1 \
	%D%/man/dpr-new-plugin.1
