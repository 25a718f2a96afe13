/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words for sense data and for types of devices are T10's, as libsgutils2 has them. */
#include <scsi/sg_lib_data.h>

#include "scsi/inquiry.h"
#include "scsi/sense.h"

#define SENSE_KEYS   16
#define DEVICE_TYPES 32

const char *dw_device_type_name(uint8_t type)
{
	return type < DEVICE_TYPES ? sg_lib_pdt_strs[type] : "?";
}

const char *dw_sense_key_name(uint8_t key)
{
	return key < SENSE_KEYS ? sg_lib_sense_key_desc[key] : "?";
}

static const char *find_code(uint8_t asc, uint8_t ascq)
{
	for (const struct sg_lib_asc_ascq_t *c = sg_lib_asc_ascq; c->text; c++)
		if (c->asc == asc && c->ascq == ascq)
			return c->text;
	return NULL;
}

const char *dw_sense_code_name(uint8_t asc, uint8_t ascq)
{
	const char *text = find_code(asc, ascq);

	/* ASC 00h is a list of unrelated conditions, not one with variants. */
	return text || !asc ? text : find_code(asc, 0);
}
