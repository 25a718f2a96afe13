# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks of a node are erased by diskwipe while Ironic cleans it."""
