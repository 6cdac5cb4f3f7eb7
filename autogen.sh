#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Make ./configure in a checkout.  Release tarballs have it already.
set -eu
cd "$(dirname "$0")"
exec autoreconf --force --install --symlink --warnings=all "$@"
