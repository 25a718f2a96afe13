/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_HIDDEN_H
#define DW_DEVICE_HIDDEN_H

#include "device/open.h"

/* Why an overlay is not known: the disk aborts the question. */
#define DW_DCO_REFUSED "the disk refuses to tell it; it may be frozen until power is off"

/** dw_device_probe_hidden() - how many blocks the disk has and does not show, by MODE SENSE and
 *  behind a SCSI translation by ATA. Sets hidden_blocks and hidden_by of the info, and what the
 *  caps say of ATA; its capacity must be known. */
void dw_device_probe_hidden(struct dw_device *d);

struct dw_ata_identity;

/**
 * dw_device_ata_identity() - IDENTIFY DEVICE data of a disk behind a SCSI translation
 * @d: it offers the ATA Information page
 * @ret: filled when NULL is returned
 *
 * Return: NULL; why they are not known, static text: the page is not whole, has a wrong
 * checksum, or another serial number.
 */
const char *dw_device_ata_identity(struct dw_device *d, struct dw_ata_identity *ret);

#endif
