#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/service-paths.conf
# needs: python3
# A path of a disk at work comes back under another node: the next disk that gets the number of the
# old node is looked at like any other.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/barred.py"
