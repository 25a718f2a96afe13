/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The five commands with an extent differ only in their operation codes and in which
 * flags they know, so two tables fill and parse all of them: what is written by one
 * row is read back by the same row. (10) has the LBA in bytes 2-5 and
 * the count in 7-8, (16) has them in 2-9 and 10-13.
 */
#include <errno.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/pr.h"

struct cdb_row {
	uint8_t opcode;
	uint8_t size;
	uint8_t verb;
};

static const struct cdb_row rows[] = {
	{ DW_OPCODE_READ_10, 10, DW_EXTENT_READ },
	{ DW_OPCODE_READ_16, 16, DW_EXTENT_READ },
	{ DW_OPCODE_WRITE_10, 10, DW_EXTENT_WRITE },
	{ DW_OPCODE_WRITE_16, 16, DW_EXTENT_WRITE },
	{ DW_OPCODE_WRITE_SAME_10, 10, DW_EXTENT_WRITE_SAME },
	{ DW_OPCODE_WRITE_SAME_16, 16, DW_EXTENT_WRITE_SAME },
	{ DW_OPCODE_SYNCHRONIZE_CACHE_10, 10, DW_EXTENT_SYNC },
	{ DW_OPCODE_SYNCHRONIZE_CACHE_16, 16, DW_EXTENT_SYNC },
	{ DW_OPCODE_VERIFY_10, 10, DW_EXTENT_VERIFY },
	{ DW_OPCODE_VERIFY_16, 16, DW_EXTENT_VERIFY },
};

/* What a bit of byte 1 stands for; bits without @fill are only parsed. */
static const struct bit {
	uint8_t verb;
	uint8_t size; /* 0 = both */
	uint8_t mask;
	uint8_t flag;
	bool fill;
} bits[] = {
	{ DW_EXTENT_READ, 0, 0x10, DW_EXTENT_DPO, true },
	{ DW_EXTENT_READ, 0, 0x08, DW_EXTENT_FUA, true },
	{ DW_EXTENT_WRITE, 0, 0x10, DW_EXTENT_DPO, true },
	{ DW_EXTENT_WRITE, 0, 0x08, DW_EXTENT_FUA, true },
	{ DW_EXTENT_WRITE_SAME, 0, 0x10, DW_EXTENT_ANCHOR, false },
	{ DW_EXTENT_WRITE_SAME, 0, 0x08, DW_EXTENT_UNMAP, false },
	{ DW_EXTENT_WRITE_SAME, 16, 0x01, DW_EXTENT_NDOB, true },
	{ DW_EXTENT_SYNC, 0, 0x02, DW_EXTENT_IMMED, false },
	{ DW_EXTENT_VERIFY, 0, 0x10, DW_EXTENT_DPO, true },
};

static bool bit_of(const struct bit *bit, const struct cdb_row *row)
{
	return bit->verb == row->verb && (bit->size == 0 || bit->size == row->size);
}

/* Byte 1 from the flags; *ret_left gets those that no fillable bit stands for. */
static uint8_t fill_bits(const struct cdb_row *row, uint8_t flags, uint8_t *ret_left)
{
	uint8_t byte = 0;

	*ret_left = flags;
	for (size_t i = 0; i < DW_ARRAY_SIZE(bits); i++) {
		if (!bits[i].fill || !bit_of(&bits[i], row) || !(flags & bits[i].flag))
			continue;
		byte |= bits[i].mask;
		*ret_left &= (uint8_t)~bits[i].flag;
	}
	return byte;
}

static uint8_t parse_bits(const struct cdb_row *row, uint8_t byte)
{
	uint8_t flags = 0;

	for (size_t i = 0; i < DW_ARRAY_SIZE(bits); i++)
		if (bit_of(&bits[i], row) && (byte & bits[i].mask))
			flags |= bits[i].flag;
	return flags;
}

static const struct cdb_row *find_row(unsigned int size, unsigned int verb)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++)
		if (rows[i].size == size && rows[i].verb == verb)
			return &rows[i];
	return NULL;
}

static const struct cdb_row *find_opcode(uint8_t opcode)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	return NULL;
}

unsigned int dw_cdb_len(uint8_t opcode)
{
	static const uint8_t group[8] = { 6, 10, 10, 0, 16, 12, 0, 0 };

	return group[opcode >> 5];
}

/* An empty CDB of its opcode; returns the length. */
static int start_cdb(uint8_t *cdb, uint8_t opcode)
{
	memset(cdb, 0, DW_CDB_MAX);
	cdb[0] = opcode;
	return (int)dw_cdb_len(opcode);
}

static int check_extent(const struct cdb_row *row, const struct dw_cdb_extent *x)
{
	if (x->bytchk && (x->verb != DW_EXTENT_VERIFY || x->bytchk == 2 || x->bytchk > 3))
		return -EINVAL;
	if (x->verb == DW_EXTENT_WRITE_SAME && x->nlb == 0)
		return -EINVAL;
	if (x->nlb && x->lba > UINT64_MAX - (x->nlb - 1))
		return -ERANGE;
	if (row->size == 10 && (x->nlb > UINT16_MAX || x->lba > UINT32_MAX ||
				(x->nlb && x->lba + (x->nlb - 1) > UINT32_MAX)))
		return -ERANGE;
	return 0;
}

int dw_cdb_fill_extent(uint8_t *cdb, unsigned int size, const struct dw_cdb_extent *x)
{
	const struct cdb_row *row = find_row(size, x->verb);
	uint8_t byte1, left;
	int r;

	if (!row)
		return -EINVAL;
	byte1 = fill_bits(row, x->flags, &left);
	if (left)
		return -EINVAL;
	r = check_extent(row, x);
	if (r < 0)
		return r;
	r = start_cdb(cdb, row->opcode);
	cdb[1] = (uint8_t)(byte1 | x->bytchk << 1);
	if (size == 16) {
		dw_put_be64(cdb + 2, x->lba);
		dw_put_be32(cdb + 10, x->nlb);
	} else {
		dw_put_be32(cdb + 2, (uint32_t)x->lba);
		dw_put_be16(cdb + 7, (uint16_t)x->nlb);
	}
	return r;
}

int dw_cdb_parse(const uint8_t *cdb, size_t len, struct dw_cdb_extent *ret)
{
	const struct cdb_row *row;
	struct dw_cdb_extent x = { 0 };

	if (len == 0)
		return -EINVAL;
	row = find_opcode(cdb[0]);
	if (!row)
		return -EOPNOTSUPP;
	if (len < row->size)
		return -EINVAL;
	x.verb = row->verb;
	x.flags = parse_bits(row, cdb[1]);
	if (row->verb == DW_EXTENT_VERIFY)
		x.bytchk = cdb[1] >> 1 & 3;
	if (row->verb != DW_EXTENT_SYNC)
		x.protect = cdb[1] >> 5;
	x.lba = row->size == 16 ? dw_get_be64(cdb + 2) : dw_get_be32(cdb + 2);
	x.nlb = row->size == 16 ? dw_get_be32(cdb + 10) : dw_get_be16(cdb + 7);
	*ret = x;
	return 0;
}

int dw_cdb_inquiry(uint8_t *cdb, int vpd_page, uint16_t alloc)
{
	int r;

	if (vpd_page < -1 || vpd_page > 0xff)
		return -EINVAL;
	r = start_cdb(cdb, DW_OPCODE_INQUIRY);
	if (vpd_page >= 0) {
		cdb[1] = 0x01; /* EVPD */
		cdb[2] = (uint8_t)vpd_page;
	}
	dw_put_be16(cdb + 3, alloc);
	return r;
}

int dw_cdb_test_unit_ready(uint8_t *cdb)
{
	return start_cdb(cdb, DW_OPCODE_TEST_UNIT_READY);
}

int dw_cdb_request_sense(uint8_t *cdb, bool desc, uint8_t alloc)
{
	int r = start_cdb(cdb, DW_OPCODE_REQUEST_SENSE);

	cdb[1] = desc ? 0x01 : 0;
	cdb[4] = alloc;
	return r;
}

#define SANITIZE_IMMED_AUSE 0xa0
#define SANITIZE_ONCE       0x01 /* overwrite count; neither INVERT nor TEST */

int dw_cdb_sanitize(uint8_t *cdb, uint8_t sa)
{
	int r;

	if (sa < DW_SA_SANITIZE_OVERWRITE || sa > DW_SA_SANITIZE_CRYPTO_ERASE)
		return -EINVAL;
	r = start_cdb(cdb, DW_OPCODE_SANITIZE);
	cdb[1] = SANITIZE_IMMED_AUSE | sa;
	if (sa == DW_SA_SANITIZE_OVERWRITE)
		dw_put_be16(cdb + 7, DW_SANITIZE_LIST_LEN);
	return r;
}

void dw_sanitize_list(uint8_t *list, uint8_t byte)
{
	memset(list, byte, DW_SANITIZE_LIST_LEN);
	list[0] = SANITIZE_ONCE;
	list[1] = 0;
	dw_put_be16(list + 2, DW_SANITIZE_LIST_LEN - 4);
}

int dw_cdb_sanitize_exit(uint8_t *cdb)
{
	int r = start_cdb(cdb, DW_OPCODE_SANITIZE);

	cdb[1] = DW_SA_SANITIZE_EXIT_FAILURE_MODE;
	return r;
}

bool dw_sanitize_fits(const uint8_t *cdb, const uint8_t *data, uint32_t data_len)
{
	uint8_t want[DW_CDB_MAX], list[DW_SANITIZE_LIST_LEN];
	int len = dw_cdb_sanitize(want, cdb[1] & 0x1f);

	if (len < 0 || memcmp(cdb, want, (size_t)len) ||
	    data_len != dw_get_be16(want + 7))
		return false;
	if (!data_len)
		return true;
	dw_sanitize_list(list, data[4]);
	return !memcmp(data, list, sizeof(list));
}

int dw_cdb_read_capacity10(uint8_t *cdb)
{
	return start_cdb(cdb, DW_OPCODE_READ_CAPACITY_10);
}

int dw_cdb_read_capacity16(uint8_t *cdb, uint32_t alloc)
{
	int r = start_cdb(cdb, DW_OPCODE_SERVICE_ACTION_IN_16);

	cdb[1] = DW_SA_READ_CAPACITY_16;
	dw_put_be32(cdb + 10, alloc);
	return r;
}

int dw_cdb_mode_sense(uint8_t *cdb, unsigned int size, const struct dw_mode_request *req)
{
	int r;

	if ((size != 6 && size != 10) || req->page > 0x3f || req->pc > 3)
		return -EINVAL;
	if (size == 6 && req->alloc > UINT8_MAX)
		return -ERANGE;
	r = start_cdb(cdb, size == 6 ? DW_OPCODE_MODE_SENSE_6 : DW_OPCODE_MODE_SENSE_10);
	cdb[1] = (uint8_t)((req->dbd ? 0x08 : 0) | (req->llbaa && size == 10 ? 0x10 : 0));
	cdb[2] = (uint8_t)(req->pc << 6 | req->page);
	cdb[3] = req->subpage;
	if (size == 6)
		cdb[4] = (uint8_t)req->alloc;
	else
		dw_put_be16(cdb + 7, req->alloc);
	return r;
}

int dw_cdb_log_sense(uint8_t *cdb, uint8_t page, uint16_t alloc)
{
	int r;

	if (page > 0x3f)
		return -EINVAL;
	r = start_cdb(cdb, DW_OPCODE_LOG_SENSE);
	cdb[2] = (uint8_t)(0x40 | page); /* PC 01b */
	dw_put_be16(cdb + 7, alloc);
	return r;
}

int dw_cdb_mode_select(uint8_t *cdb, unsigned int size, uint16_t list_len)
{
	int r;

	if (size != 6 && size != 10)
		return -EINVAL;
	if (size == 6 && list_len > UINT8_MAX)
		return -ERANGE;
	r = start_cdb(cdb,
		      size == 6 ? DW_OPCODE_MODE_SELECT_6 : DW_OPCODE_MODE_SELECT_10);
	cdb[1] = 0x10; /* PF */
	if (size == 6)
		cdb[4] = (uint8_t)list_len;
	else
		dw_put_be16(cdb + 7, list_len);
	return r;
}

int dw_cdb_start(uint8_t *cdb)
{
	int r = start_cdb(cdb, DW_OPCODE_START_STOP_UNIT);

	cdb[4] = 0x01; /* START */
	return r;
}

int dw_cdb_stop(uint8_t *cdb)
{
	return start_cdb(cdb, DW_OPCODE_START_STOP_UNIT);
}

int dw_cdb_receive_diagnostic(uint8_t *cdb, uint8_t page, uint16_t alloc)
{
	int r = start_cdb(cdb, DW_OPCODE_RECEIVE_DIAGNOSTIC);

	cdb[1] = 0x01; /* PCV */
	cdb[2] = page;
	dw_put_be16(cdb + 3, alloc);
	return r;
}

int dw_cdb_send_diagnostic(uint8_t *cdb, uint16_t len)
{
	int r = start_cdb(cdb, DW_OPCODE_SEND_DIAGNOSTIC);

	cdb[1] = 0x10; /* PF */
	dw_put_be16(cdb + 3, len);
	return r;
}

int dw_cdb_read_defects(uint8_t *cdb, unsigned int size, uint32_t alloc)
{
	int r;

	if (size != 10 && size != 12)
		return -EINVAL;
	if (size == 10 && alloc > UINT16_MAX)
		return -ERANGE;
	r = start_cdb(cdb, size == 10 ? DW_OPCODE_READ_DEFECT_DATA_10
				      : DW_OPCODE_READ_DEFECT_DATA_12);
	cdb[size == 10 ? 2 : 1] = 0x0c; /* REQ_GLIST, format 4 */
	if (size == 10)
		dw_put_be16(cdb + 7, (uint16_t)alloc);
	else
		dw_put_be32(cdb + 6, alloc);
	return r;
}

int dw_cdb_rsoc(uint8_t *cdb, const struct dw_rsoc_request *req)
{
	int r;

	if (req->option > 3)
		return -EINVAL;
	r = start_cdb(cdb, DW_OPCODE_MAINTENANCE_IN);
	cdb[1] = DW_SA_RSOC;
	cdb[2] = (uint8_t)((req->rctd ? 0x80 : 0) | req->option);
	if (req->option >= 1)
		cdb[3] = req->opcode;
	if (req->option >= 2)
		dw_put_be16(cdb + 4, req->sa);
	dw_put_be32(cdb + 6, req->alloc);
	return r;
}

int dw_cdb_pr_in(uint8_t *cdb, uint8_t sa, uint16_t alloc)
{
	int r;

	if (sa > DW_SA_PR_READ_FULL_STATUS)
		return -EINVAL;
	r = start_cdb(cdb, DW_OPCODE_PERSISTENT_RESERVE_IN);
	cdb[1] = sa;
	dw_put_be16(cdb + 7, alloc);
	return r;
}

int dw_cdb_pr_out(uint8_t *cdb, uint8_t sa, uint8_t type)
{
	bool typed = sa == DW_SA_PR_RESERVE || sa == DW_SA_PR_RELEASE;
	int r;

	if (!typed && sa != DW_SA_PR_REGISTER && sa != DW_SA_PR_REGISTER_AND_IGNORE)
		return -EINVAL;
	if (typed ? type < 1 || type > 8 : type != 0)
		return -EINVAL;
	r = start_cdb(cdb, DW_OPCODE_PERSISTENT_RESERVE_OUT);
	cdb[1] = sa;
	cdb[2] = type; /* scope 0: the logical unit */
	dw_put_be32(cdb + 5, DW_PR_LIST_LEN);
	return r;
}

int dw_cdb_report_luns(uint8_t *cdb, uint32_t alloc)
{
	int r;

	if (alloc < 16)
		return -EINVAL;
	r = start_cdb(cdb, DW_OPCODE_REPORT_LUNS);
	dw_put_be32(cdb + 6, alloc);
	return r;
}
