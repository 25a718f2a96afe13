#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/harm.conf --env HARM_SEED
# needs: python3
# Callers who mean harm: bytes that are no messages, messages that are nearly right, arguments of
# every type to each method, also of jobs that are there, many that connect and say nothing, one that
# never reads.
# Nothing comes of it that was not asked for, and the others are served. HARM_SEED repeats a run.
. "$(dirname "$0")/lib.sh"
python3 -B -u "$(dirname "$0")/harm.py"
