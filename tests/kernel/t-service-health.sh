#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure care.conf --module enclosure --module ses
# needs: busctl python3
# timeout: 240
# diskwiped and how disks are: one that is too hot is paused until it is cool; one that fails is
# labelled, or refused; the lights of its bay tell how far it is; its motor is started and stopped;
# and no disk is asked for more than that.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/care.py"
