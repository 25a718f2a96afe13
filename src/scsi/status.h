/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_STATUS_H
#define DW_SCSI_STATUS_H

/* How an NVMe command ended, in the words of SCSI. */
#include "scsi/cmd.h"

/**
 * dw_nvme_status() - the status of a completion as the kernel gives it
 * @status: Status Code in bits 7:0, its type in 10:8; More and Do Not Retry above; 0 = good
 * @done: status, host status and sense data are filled
 *
 * What the controller says it cannot do is an illegal request, a sanitize that runs 2/04/1B, one
 * that failed 3/31/03, as SBC has it; what the host cut off is a transport that was disrupted.
 */
void dw_nvme_status(unsigned int status, struct dw_completion *done);

/** dw_nvme_sense() - CHECK CONDITION with sense data in descriptor format. */
void dw_nvme_sense(struct dw_completion *done, uint8_t key, uint8_t asc, uint8_t ascq);

#endif
