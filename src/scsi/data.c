/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scsi/data.h"

#include <errno.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/le.h"
#include "base/util.h"
#include "scsi/admin.h"

#define SANITIZE_LOG_LEN 32
#define HEALTH_LOG_LEN   192

/* Numbers of 16 bytes: what is beyond 64 bits is beyond any disk. */
static uint64_t get_le128(const uint8_t *p)
{
	return dw_get_le64(p + 8) ? UINT64_MAX : dw_get_le64(p);
}

static void take_text(const uint8_t *from, size_t len, char *ret)
{
	while (len && (*from == ' ' || *from == '\0')) {
		from++;
		len--;
	}
	while (len && (from[len - 1] == ' ' || from[len - 1] == '\0'))
		len--;
	memcpy(ret, from, len);
	ret[len] = '\0';
	dw_text_printable(ret);
}

int dw_nvme_controller_parse(const uint8_t *data, size_t len,
			     struct dw_nvme_controller *ret)
{
	if (len < DW_NVME_IDENTIFY_LEN)
		return -EBADMSG;
	*ret = (struct dw_nvme_controller){
		.several_controllers = data[76] & 0x02,
		.can_format = data[256] & 0x02,
		.manages = data[256] & 0x08,
		.format_all = data[524] & 0x01,
		.erase_all = data[524] & 0x02,
		.format_crypto = data[524] & 0x04,
		.sanicap = dw_get_le32(data + 328),
		.namespaces = dw_get_le32(data + 516),
		.unallocated = get_le128(data + 296),
	};
	take_text(data + 4, 20, ret->serial);
	take_text(data + 24, 40, ret->model);
	return ret->namespaces ? 0 : -EBADMSG;
}

int dw_nvme_namespace_parse(const uint8_t *data, size_t len,
			    struct dw_nvme_namespace *ret)
{
	uint8_t flbas, exponent;
	size_t format;

	if (len < DW_NVME_IDENTIFY_LEN)
		return -EBADMSG;
	flbas = data[26];
	format = (flbas & 0x0fu) | (flbas >> 5 & 3u) << 4;
	exponent = data[128 + 4 * format + 2];
	*ret = (struct dw_nvme_namespace){ .blocks = dw_get_le64(data),
					   .metadata =
						   dw_get_le16(data + 128 + 4 * format),
					   .flbas = flbas,
					   .dps = data[29] };
	if (!ret->blocks)
		return -ENODEV;
	if (exponent < 9 || exponent > 20)
		return -ERANGE;
	ret->block_size = UINT32_C(1) << exponent;
	return 0;
}

uint32_t dw_nvme_list_entry(const uint8_t *data, size_t len, uint32_t i)
{
	return i < len / 4 ? dw_get_le32(data + 4 * (size_t)i) : 0;
}

uint32_t dw_nvme_list_count(const uint8_t *data, size_t len)
{
	uint32_t n = 0;

	while (dw_nvme_list_entry(data, len, n))
		n++;
	return n;
}

uint32_t dw_nvme_controllers_count(const uint8_t *data, size_t len)
{
	uint32_t n = len < 2 ? 0 : dw_get_le16(data);

	return n <= (len - 2) / 2 ? n : 0;
}

int dw_nvme_sanitize_log_parse(const uint8_t *data, size_t len, bool kept,
			       struct dw_nvme_sanitize_log *ret)
{
	static const uint8_t at[] = { [DW_NVME_OVERWRITE] = 8,
				      [DW_NVME_BLOCK_ERASE] = 12,
				      [DW_NVME_CRYPTO_ERASE] = 16 };

	if (len < SANITIZE_LOG_LEN)
		return -EBADMSG;
	*ret = (struct dw_nvme_sanitize_log){
		.progress = dw_get_le16(data),
		.state = data[2] & 0x07,
		.purged = data[3] & 0x08, /* bit 11 of SSTAT */
		.action = data[4] & 0x07,
		.seconds = { DW_NVME_UNTOLD, DW_NVME_UNTOLD },
	};
	for (size_t i = DW_NVME_BLOCK_ERASE; i < DW_ARRAY_SIZE(ret->seconds); i++)
		ret->seconds[i] = dw_get_le32(data + at[i] + (kept ? 12 : 0));
	return 0;
}

uint64_t dw_nvme_stated_ns(uint32_t seconds)
{
	return seconds == DW_NVME_UNTOLD ? 0 : seconds * DW_NS_PER_S;
}

int dw_nvme_health_parse(const uint8_t *data, size_t len, struct dw_nvme_health *ret)
{
	if (len < HEALTH_LOG_LEN)
		return -EBADMSG;
	*ret = (struct dw_nvme_health){
		.warning = data[0],
		.kelvin = dw_get_le16(data + 1),
		.spare = data[3],
		.spare_least = data[4],
		.used = data[5],
		.hours = get_le128(data + 128),
		.media_errors = get_le128(data + 160),
	};
	return 0;
}
