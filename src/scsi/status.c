/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One table from the status of NVMe to sense data. What is not in it is a failure of the disk if
 * the controller says that a retry is of no use, else a command that was aborted.
 */
#include "scsi/status.h"

#include <string.h>

#include "base/util.h"
#include "scsi/sense.h"

#define CODE_AND_TYPE       0x7ffu
#define DO_NOT_RETRY        0x4000u
#define RESERVED_BY_ANOTHER 0x083u
#define PATH_TYPE           0x300u /* what the host reports of its way to the disk */
#define TYPE                0x700u
#define TRANSPORT_DISRUPTED 0x0e

/* NVM Express base specification 1.4, section 4.6.1 */
static const struct status_row {
	uint16_t status;
	uint8_t key;
	uint8_t asc;
	uint8_t ascq;
} status_rows[] = {
	{ 0x001, DW_KEY_ILLEGAL_REQUEST, 0x20, 0x00 }, /* Invalid Command Opcode */
	{ 0x002, DW_KEY_ILLEGAL_REQUEST, 0x24, 0x00 }, /* Invalid Field in Command */
	{ 0x00b, DW_KEY_ILLEGAL_REQUEST, 0x25, 0x00 }, /* Invalid Namespace or Format */
	{ 0x00c, DW_KEY_ILLEGAL_REQUEST, 0x2c, 0x00 }, /* Command Sequence Error */
	{ 0x015, DW_KEY_ILLEGAL_REQUEST, 0x20, 0x02 }, /* Operation Denied */
	{ 0x01c, DW_KEY_MEDIUM_ERROR, 0x31, 0x03 },    /* Sanitize Failed */
	{ 0x01d, DW_KEY_NOT_READY, 0x04, 0x1b },       /* Sanitize In Progress */
	{ 0x020, DW_KEY_DATA_PROTECT, 0x27, 0x00 },    /* Namespace is Write Protected */
	{ 0x082, DW_KEY_NOT_READY, 0x04, 0x01 },       /* Namespace Not Ready */
	{ 0x084, DW_KEY_NOT_READY, 0x04, 0x04 },       /* Format In Progress */
	{ 0x109, DW_KEY_ILLEGAL_REQUEST, 0x24, 0x00 }, /* Invalid Log Page */
	{ 0x10a, DW_KEY_ILLEGAL_REQUEST, 0x26, 0x00 }, /* Invalid Format */
	{ 0x280, DW_KEY_MEDIUM_ERROR, 0x0c, 0x00 },    /* Write Fault */
	{ 0x281, DW_KEY_MEDIUM_ERROR, 0x11, 0x00 },    /* Unrecovered Read Error */
	{ 0x286, DW_KEY_DATA_PROTECT, 0x20, 0x02 },    /* Access Denied */
};

void dw_nvme_sense(struct dw_completion *done, uint8_t key, uint8_t asc, uint8_t ascq)
{
	done->status = DW_STATUS_CHECK_CONDITION;
	memset(done->sense, 0, sizeof(done->sense));
	done->sense[0] = 0x72;
	done->sense[1] = key;
	done->sense[2] = asc;
	done->sense[3] = ascq;
	done->sense_len = 8;
}

void dw_nvme_status(unsigned int status, struct dw_completion *done)
{
	unsigned int code = status & CODE_AND_TYPE;

	done->status = DW_STATUS_GOOD;
	if (!code)
		return;
	if (code == RESERVED_BY_ANOTHER) {
		done->status = DW_STATUS_RESERVATION_CONFLICT;
		return;
	}
	if ((code & TYPE) == PATH_TYPE) {
		done->host_status = TRANSPORT_DISRUPTED;
		return;
	}
	for (size_t i = 0; i < DW_ARRAY_SIZE(status_rows); i++) {
		const struct status_row *row = &status_rows[i];

		if (row->status == code) {
			dw_nvme_sense(done, row->key, row->asc, row->ascq);
			return;
		}
	}
	/* internal target failure, for good; or worth another try */
	if (status & DO_NOT_RETRY)
		dw_nvme_sense(done, DW_KEY_HARDWARE_ERROR, 0x44, 0x00);
	else
		dw_nvme_sense(done, DW_KEY_ABORTED_COMMAND, 0x00, 0x00);
}
