#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --systemd --enclosure racks/pages.conf
# needs: meson jq python3 ssh-keygen pdftotext
# timeout: 400
# Each command of the manual pages' EXAMPLES, of docs/usage.md and of docs/records.md is run as it is
# written, on a machine where the program is installed; so is what stands in the running text of
# README.md and docs/station.md. One that is new on a page fails until it is run, too.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/pages.py"
