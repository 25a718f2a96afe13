#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --systemd --enclosure racks/station-page.conf --module enclosure --module ses
# needs: meson curl jq useradd logger pdftotext
# timeout: 400
# docs/station.md is true: its files are written, and its commands run, in its order, on a machine
# where the program was installed by it; after each step the disks and the records are as it says.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/station_page.py"
