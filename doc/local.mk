# SPDX-License-Identifier: Apache-2.0
# Documentation: man pages go to dist_man_MANS, the rest to EXTRA_DIST.

EXTRA_DIST += %D%/RATIONALE.md

dist_man_MANS += %D%/man/dpr-eval.1
