# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks of a host, erased for programs that know only a node and an exit status."""
