#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/power-cycle.conf
# needs: busctl python3
# A disk that nothing flushes, erased by the service: it is asked for on the bus, by a state and a
# message, also after the service was started again, and ends when it was unplugged and is back.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/power_cycle.py"
