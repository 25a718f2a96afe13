/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identification step by step, against a disk that is a table of replies. */
#include <errno.h>

#include "device/identity.h"
#include "judge/protect.h"
#include "judge/verdict.h"
#include "scsi/cdb.h"
#include "scsi/vpd.h"
#include "unit.h"

static uint32_t longest; /* that INQUIRY asked for, bytes */

/* What a disk answers; NULL = it does not know the command. */
struct disk {
	const char *inquiry;
	const char *designators;
	const char *serial;
	const char *capacity16;
	const char *capacity10;
	const char *log;
	const char *cache10; /* MODE SENSE(10) and (6) */
	const char *cache6;
	int attentions;
	int err;
	int log_err;              /* of LOG SENSE alone */
	int cache10_err;          /* of MODE SENSE(10) alone */
	bool log_attention;       /* the same */
	uint8_t capacity16_sense; /* a sense key in its place; 0 = none */
	bool one_byte;            /* it reads one byte of INQUIRY's allocation length */
	bool no_more; /* it has no more than FCh bytes of a page, whatever is asked */
	bool narrow;  /* behind an adapter that takes no CDB of 16 bytes */
	const struct disk *then; /* that one answers after a unit attention */
};

static const struct disk seagate = {
	.inquiry = "00 00 06 12 1f 00 00 02 53 45 41 47 41 54 45 20"
		   "53 54 34 30 30 30 4e 4d 30 30 32 33 20 20 20 20 30 30 30 34",
	.designators = "00 83 00 0c 01 03 00 08 50 00 c5 00 a1 b2 c3 d4",
	.serial = "00 80 00 08 5a 31 5a 38 41 42 43 44",
	.capacity16 = "00 00 00 00 00 00 ff ff 00 00 02 00 00 03 00 00"
		      "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
	.capacity10 = "00 00 ff ff 00 00 02 00",
};

static const struct dw_disk_info planned = {
	.scsi = true,
	.serial = "Z1Z8ABCD",
	.wwn = "0x5000c500a1b2c3d4",
	.blocks = 0x10000,
	.block_size = 512,
};

static const struct dw_disk_info nameless = {
	.scsi = true,
	.vendor = "SEAGATE",
	.model = "ST4000NM0023",
	.revision = "0004",
	.blocks = 0x10000,
	.block_size = 512,
};

static void sense(struct dw_completion *done, uint8_t key, uint8_t asc, uint8_t ascq)
{
	done->status = 2;
	done->sense_len = 18;
	done->sense[0] = 0x70;
	done->sense[2] = key;
	done->sense[7] = 10;
	done->sense[12] = asc;
	done->sense[13] = ascq;
}

static const char *reply_to(const struct disk *d, const struct dw_cmd *cmd)
{
	if (cmd->cdb[0] == DW_OPCODE_INQUIRY && !(cmd->cdb[1] & 1))
		return d->inquiry;
	if (cmd->cdb[0] == DW_OPCODE_INQUIRY)
		return cmd->cdb[2] == 0x83 ? d->designators : d->serial;
	if (cmd->cdb[0] == DW_OPCODE_LOG_SENSE)
		return d->log;
	if (cmd->cdb[0] == DW_OPCODE_MODE_SENSE_10)
		return d->cache10;
	if (cmd->cdb[0] == DW_OPCODE_MODE_SENSE_6)
		return d->cache6;
	assert_true(cmd->cdb[0] == DW_OPCODE_SERVICE_ACTION_IN_16 ||
		    cmd->cdb[0] == DW_OPCODE_READ_CAPACITY_10);
	return cmd->cdb[0] == DW_OPCODE_READ_CAPACITY_10 ? d->capacity10 : d->capacity16;
}

/* Bytes of a reply that the device sends, into the command's data. */
static uint32_t transfer(const struct disk *d, const char *reply, struct dw_cmd *cmd)
{
	uint8_t all[1024];
	size_t n = unhex(reply, all, sizeof(all));

	n = n < cmd->data_len ? n : cmd->data_len;
	if (cmd->cdb[0] == DW_OPCODE_INQUIRY) {
		longest = cmd->data_len > longest ? cmd->data_len : longest;
		if (d->one_byte && n > cmd->cdb[4])
			n = cmd->cdb[4];
		if (d->no_more && n > DW_VPD_FIRST_LEN)
			n = DW_VPD_FIRST_LEN;
	}
	memcpy(cmd->data, all, n);
	return (uint32_t)n;
}

static unsigned int commands;
static uint8_t wanted;
static struct dw_watch found;

static enum dw_identified identify_as(const struct disk *d,
				      const struct dw_disk_info *info)
{
	int attentions = d->attentions;
	struct dw_identify id;
	struct dw_cmd cmd;

	commands = 0;
	dw_identify_start(&id, info);
	id.wanted = wanted;
	while (dw_identify_next(&id, &cmd)) {
		struct dw_completion done = { .cmd = &cmd, .err = d->err };
		const char *reply = reply_to(d, &cmd);

		assert_true(++commands < 64);
		assert_int_equal(DW_DIR_IN, cmd.dir);
		assert_true(cmd.flags & DW_CMD_PASS_FENCE);
		assert_true(cmd.timeout_ms > 0);
		if (cmd.cdb[0] == DW_OPCODE_LOG_SENSE)
			done.err = d->log_err;
		if (cmd.cdb[0] == DW_OPCODE_MODE_SENSE_10)
			done.err = d->cache10_err;
		if (d->narrow && cmd.cdb_len > 12) {
			done.host_status = 5; /* DID_ABORT, and nothing else */
		} else if (d->then && cmd.cdb[0] != DW_OPCODE_INQUIRY) {
			sense(&done, 6, 0x3f, 0x0e);
			d = d->then;
		} else if (attentions-- > 0 ||
			   (d->log_attention && cmd.cdb[0] == DW_OPCODE_LOG_SENSE)) {
			sense(&done, 6, 0x29, 0);
		} else if (d->capacity16_sense &&
			   cmd.cdb[0] == DW_OPCODE_SERVICE_ACTION_IN_16) {
			sense(&done, d->capacity16_sense, 0, 0);
		} else if (!reply) {
			sense(&done, 5, 0x24, 0);
		} else {
			done.resid = (int32_t)(cmd.data_len - transfer(d, reply, &cmd));
		}
		dw_identify_feed(&id, &done);
	}
	found = id.found;
	return dw_identify_compare(&id, info);
}

static void same_disk(void **state)
{
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&seagate, &planned));
	assert_int_equal(4, commands);
}

/* As recorded of esp_scsi, whose max_cmd_len is 12: READ CAPACITY(10) tells the same. */
static void adapter_without_long_commands(void **state)
{
	struct disk d = seagate;

	d.narrow = true;
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
	assert_int_equal(5, commands);
	d.serial = "00 80 00 08 5a 31 5a 38 41 42 43 45";
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&d, &planned));
	d = seagate;
	d.narrow = true;
	d.capacity10 = "00 00 ff fe 00 00 02 00";
	assert_int_equal(DW_IDENTITY_CAPACITY, identify_as(&d, &planned));
	d.capacity10 = "ff ff ff ff 00 00 02 00";
	assert_int_equal(DW_IDENTITY_UNKNOWN, identify_as(&d, &planned));
}

static void unit_attentions_are_passed(void **state)
{
	struct disk d = seagate;

	d.attentions = 3;
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
	assert_int_equal(7, commands);
	d.attentions = 1000;
	assert_int_equal(DW_IDENTITY_UNKNOWN, identify_as(&d, &planned));
	assert_true(commands <= 9);
}

/* INQUIRY reports no unit attention: the name was that of the disk before */
static void another_disk_meanwhile(void **state)
{
	struct disk d = seagate, other = seagate;

	other.designators = NULL;
	d.then = &other;
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&d, &planned));
}

static void another_disk(void **state)
{
	struct disk d = seagate;

	d.serial = "00 80 00 08 5a 31 5a 38 41 42 43 45";
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&d, &planned));
	d = seagate;
	d.designators = "00 83 00 0c 01 03 00 08 50 00 c5 00 a1 b2 c3 d5";
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&d, &planned));
	/* a disk that has lost its name is another one, too */
	d.designators = NULL;
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&d, &planned));
	d = seagate;
	d.serial = NULL;
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&d, &planned));
}

static void another_size(void **state)
{
	struct disk d = seagate;

	d.capacity16 = "00 00 00 00 00 00 ff fe 00 00 02 00 00 03 00 00"
		       "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00";
	assert_int_equal(DW_IDENTITY_CAPACITY, identify_as(&d, &planned));
	d.capacity16 = "00 00 00 00 00 00 ff ff 00 00 10 00 00 00 00 00"
		       "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00";
	assert_int_equal(DW_IDENTITY_CAPACITY, identify_as(&d, &planned));
}

/* What the probe takes from (10) is the same disk for whoever asks later. */
static void long_capacity_tells_nothing(void **state)
{
	struct disk d = seagate;

	d.capacity16 = "00 00 00 00 00 00 ff ff"; /* cut */
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
	assert_int_equal(5, commands);
	d.capacity16 = "00 00 00 00 00 00 ff ff 0f b5 02 08 00 00 00 00";
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
	d.capacity16 = "00 00 e6 f5 0b 1c 00 00 00 00 02 00 00 00 00 00";
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
	d.capacity16 = seagate.capacity16;
	d.capacity16_sense = 0xb; /* aborted */
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
	d.capacity10 = "00 00 ff fe 00 00 02 00";
	assert_int_equal(DW_IDENTITY_CAPACITY, identify_as(&d, &planned));
	d.capacity10 = NULL;
	assert_int_equal(DW_IDENTITY_UNKNOWN, identify_as(&d, &planned));
	/* one that is too large for (10) has changed all the same */
	d.capacity16_sense = 0;
	d.capacity16 = "00 00 00 01 00 00 00 00 00 00 02 00 00 00 00 00";
	for (int i = 0; i < 3; i++) {
		d.capacity10 = i == 0   ? NULL
			       : i == 1 ? "ff ff ff ff 00 00 02 00"
					: "00 00 ff fe 00 00 02 00";
		assert_int_equal(DW_IDENTITY_CAPACITY, identify_as(&d, &planned));
	}
}

static void old_disk_without_pages(void **state)
{
	struct disk d = seagate;

	d.capacity16 = NULL;
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
	assert_int_equal(5, commands);
	d.serial = d.designators = NULL;
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &nameless));
}

/* it has to look the same, and may not have been exchanged for one that does */
static void nameless_disk(void **state)
{
	struct disk d = seagate;
	struct dw_disk_info other = nameless;

	/* a name that was not there before */
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&d, &nameless));
	d.designators = NULL;
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&d, &nameless));
	d.serial = NULL;
	strcpy(other.model, "ST4000NM0024");
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&d, &other));
	other = nameless;
	strcpy(other.revision, "0005");
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&d, &other));
	other = nameless;
	strcpy(other.vendor, "HGST");
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&d, &other));
	other = nameless;
	other.blocks--;
	assert_int_equal(DW_IDENTITY_CAPACITY, identify_as(&d, &other));
	d.attentions = 1; /* of a reset */
	assert_int_equal(DW_IDENTITY_NAMELESS, identify_as(&d, &nameless));
	for (unsigned int asc = 0; asc < 256; asc++)
		assert_int_equal(asc == 0x28 || asc == 0x29 || asc == 0x3f,
				 dw_identity_exchanged((uint8_t)asc));
}

/* a WWN that was not there, and one that only looks like itself */
static void other_names(void **state)
{
	struct dw_disk_info was = planned;

	was.wwn[0] = '\0';
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&seagate, &was));
	was = planned;
	was.designators = 1;
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&seagate, &was));
}

/* Before SPC-3 the allocation length was one byte: of 200h it is 0, and nothing comes. */
static void old_disk_reads_one_byte(void **state)
{
	struct disk d = seagate;

	d.one_byte = true;
	longest = 0;
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
	assert_int_equal(4, commands);
	assert_int_equal(DW_VPD_FIRST_LEN, longest);
}

/* 24 designators of 12 bytes, 292 in all: the WWN is the last of them, an EUI-64 the sixth. */
static const char *long_page(void)
{
	static char text[1024];
	int n = snprintf(text, sizeof(text), "00 83 01 20 ");

	for (int i = 0; i < 23; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%016x ",
			      i == 5 ? "01020008" : "61930008", i);
	snprintf(text + n, sizeof(text) - (size_t)n, "01030008 5000c500a1b2c3d4");
	return text;
}

static void long_page_is_asked_for_whole(void **state)
{
	struct dw_disk_info was = planned;
	struct disk d = seagate;

	d.designators = long_page();
	longest = 0;
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
	assert_int_equal(5, commands);
	assert_int_equal(292, longest);
	/* where the disk has more to say of it than it says, what it says counts */
	strcpy(was.wwn, "eui.0000000000000005");
	d.no_more = true;
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &was));
	assert_int_equal(5, commands);
	d.no_more = false;
	d.one_byte = true; /* 124h is 24h to it */
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &was));
}

static const struct disk *behind;

static void answer(void *ctx, struct dw_cmd *cmd, struct dw_completion *ret)
{
	const char *reply = reply_to(ctx, cmd);

	assert_int_equal(DW_OPCODE_INQUIRY, cmd->cdb[0]);
	commands++;
	*ret = (struct dw_completion){ .cmd = cmd };
	if (((const struct disk *)ctx)->attentions)
		sense(ret, 6, 0x29, 0);
	else if (reply)
		ret->resid =
			(int32_t)(cmd->data_len - unhex(reply, cmd->data, cmd->data_len));
	else
		sense(ret, 5, 0x24, 0);
}

static int renew(const struct disk *d, const struct dw_disk_info *info)
{
	behind = d;
	commands = 0;
	return dw_identity_renew(info, answer, (void *)behind);
}

/* nothing goes out that takes a unit attention away, and none is passed over */
static void renewal_asks_for_names_only(void **state)
{
	struct disk d = seagate;

	assert_int_equal(0, renew(&seagate, &planned));
	assert_int_equal(3, commands);
	d.serial = "00 80 00 08 5a 31 5a 38 41 42 43 45";
	assert_int_equal(1, renew(&d, &planned));
	d.serial = NULL;
	assert_int_equal(1, renew(&d, &planned));
	d.designators = NULL;
	assert_int_equal(0, renew(&d, &nameless));
	assert_int_equal(1, renew(&seagate, &nameless));
	d = seagate;
	d.attentions = 1;
	assert_int_equal(-EIO, renew(&d, &planned));
	assert_int_equal(1, commands);
}

static void silence_tells_nothing(void **state)
{
	struct disk d = seagate;

	d.err = -ENODEV;
	assert_int_equal(DW_IDENTITY_UNKNOWN, identify_as(&d, &planned));
	d = seagate;
	d.inquiry = NULL;
	assert_int_equal(DW_IDENTITY_UNKNOWN, identify_as(&d, &planned));
	/* nobody behind this address any more: qualifier 011b, type 1Fh */
	d.inquiry = "7f 00 06 12 1f 00 00 02 53 45 41 47 41 54 45 20"
		    "53 54 34 30 30 30 4e 4d 30 30 32 33 20 20 20 20 30 30 30 34";
	assert_int_equal(DW_IDENTITY_UNKNOWN, identify_as(&d, &planned));
	d = seagate;
	d.capacity16 = d.capacity10 = NULL;
	assert_int_equal(DW_IDENTITY_UNKNOWN, identify_as(&d, &planned));
}

/* Hosts have handed out the previous reply with status GOOD. */
static void wrong_page_is_no_name(void **state)
{
	struct disk d = seagate;

	d.serial = seagate.designators;
	assert_int_equal(DW_IDENTITY_CHANGED, identify_as(&d, &planned));
}

#define COUNTED "02 00 00 0c 00 05 02 02 00 07 00 06 02 02 01 04"

/* What it counts of failed writes, where that is wanted; who cannot tell is the same disk. */
static void counts(void **state)
{
	struct disk d = seagate;

	wanted = 0;
	d.log = COUNTED;
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
	assert_false(found.counts);
	for (int again = 0; again < 2; again++) {
		wanted = DW_WANT_COUNTS | (again ? DW_WANT_AGAIN : 0);
		d.log = COUNTED;
		d.attentions = 2;
		d.log_err = 0;
		assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
		assert_int_equal(7, commands);
		assert_true(found.counts);
		assert_int_equal(0x104, found.write_errors);
		d.attentions = 1000;
		assert_int_equal(DW_IDENTITY_UNKNOWN, identify_as(&d, &planned));
		d.attentions = 0;
		d.log_attention = true; /* and nothing else, for ever */
		assert_int_equal(DW_IDENTITY_UNKNOWN, identify_as(&d, &planned));
		d.log_attention = false;
		d.log_err = -EIO;
		assert_int_equal(again ? DW_IDENTITY_UNKNOWN : DW_IDENTITY_SAME,
				 identify_as(&d, &planned));
		assert_false(found.counts);
		d.log_err = 0;
		d.log = NULL;
		assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
		assert_false(found.counts);
		d.log = "02 00 00 06 00 05 02 02 00 07";
		assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
		assert_false(found.counts);
	}
	wanted = 0;
}

#define CACHING(wce) "08 12 " wce " 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"

/* The write cache, by the command that the disk and its adapter know. */
static void cache(void **state)
{
	static const char *const replies[] = { CACHING("00"), CACHING("04") };
	struct disk d = seagate;
	char ten[100], six[100];

	wanted = DW_WANT_CACHE | DW_WANT_AGAIN;
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
	assert_int_equal(DW_UNKNOWN, found.wce);
	for (int on = 0; on < 2; on++) {
		snprintf(ten, sizeof(ten), "00 1a 00 10 00 00 00 00 %s", replies[on]);
		snprintf(six, sizeof(six), "17 00 10 00 %s", replies[on]);
		d = seagate;
		d.cache10 = ten;
		assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
		assert_int_equal(on ? DW_YES : DW_NO, found.wce);
		assert_int_equal(5, commands);
		d.cache10 = NULL;
		d.cache6 = six;
		assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
		assert_int_equal(on ? DW_YES : DW_NO, found.wce);
		d.cache10_err = -EIO;
		assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
		assert_int_equal(on ? DW_YES : DW_NO, found.wce);
		assert_int_equal(6, commands);
	}
	wanted = 0;
	assert_int_equal(DW_IDENTITY_SAME, identify_as(&d, &planned));
	assert_int_equal(DW_UNKNOWN, found.wce);
}

static void unfinished_is_unknown(void **state)
{
	struct dw_identify id;

	dw_identify_start(&id, &planned);
	assert_int_equal(DW_IDENTITY_UNKNOWN, dw_identify_compare(&id, &planned));
}

static struct dw_disk row(unsigned int sg, const char *serial, const char *wwn,
			  uint64_t blocks)
{
	struct dw_disk d = {
		.info = { .sg_dev = 100 + sg, .blocks = blocks, .block_size = 512 }
	};

	snprintf(d.info.sg, sizeof(d.info.sg), "/dev/sg%u", sg);
	snprintf(d.info.serial, sizeof(d.info.serial), "%s", serial);
	snprintf(d.info.wwn, sizeof(d.info.wwn), "%s", wwn);
	return d;
}

static void duplicates_are_refused(void **state)
{
	struct dw_disk disks[] = {
		row(0, "A", "0x1", 100), row(1, "B", "0x2", 100), row(2, "A", "0x1", 100),
		row(3, "A", "0x3", 100), row(4, "B", "0x2", 200), row(5, "", "", 100),
		row(6, "", "", 100),     row(1, "B", "0x2", 100), row(7, "A", "0x1", 100),
	};
	static const bool refused[] = { true,  false, true,  false, false,
					false, false, false, true };

	disks[8].verdict.refusal = DW_REFUSAL_MOUNTED;
	dw_disks_refuse_duplicates(disks, 9);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(refused[i] ? DW_REFUSAL_NOT_UNIQUE : DW_REFUSAL_NONE,
				 disks[i].verdict.refusal);
	assert_int_equal(DW_REFUSAL_MOUNTED, disks[8].verdict.refusal);
	assert_non_null(strstr(disks[0].verdict.reason, "/dev/sg2"));
	assert_true(dw_disk_same_node(&disks[1].info, &disks[7].info));
}

/* one disk may be behind both, unless their ways to the machine say no */
static void nameless_twins(void **state)
{
	struct dw_disk two[2] = { { .info = nameless }, { .info = nameless } };
	struct dw_disk_info *a = &two[0].info, *b = &two[1].info;

	a->sg_dev = 1;
	b->sg_dev = 2;
	a->target = 1;
	strcpy(b->sg, "/dev/sg2");
	assert_true(dw_disk_looks_alike(a, b));
	dw_disks_refuse_duplicates(two, 2);
	assert_int_equal(DW_REFUSAL_NOT_UNIQUE, two[0].verdict.refusal);
	assert_int_equal(DW_REFUSAL_NOT_UNIQUE, two[1].verdict.refusal);
	assert_non_null(strstr(two[0].verdict.reason, "/dev/sg2 looks the same"));
	strcpy(a->transport, "spi");
	strcpy(b->transport, "spi");
	assert_false(dw_disk_looks_alike(a, b));
	a->host = 1; /* another adapter on the same bus, perhaps */
	assert_true(dw_disk_looks_alike(a, b));
	strcpy(a->transport, "usb");
	assert_true(dw_disk_looks_alike(a, b)); /* the other way may lead to it as well */
	strcpy(b->transport, "usb");
	assert_false(dw_disk_looks_alike(a, b));
	a->transport[0] = b->transport[0] = '\0';
	for (int i = 0; i < 5; i++) {
		struct dw_disk_info c = *b;

		strcpy(i == 0   ? c.vendor
		       : i == 1 ? c.model
		       : i == 2 ? c.revision
				: c.sg,
		       "X");
		c.blocks += i == 3;
		c.block_size += i == 4;
		assert_false(dw_disk_looks_alike(a, &c));
		strcpy(c.serial, "1");
		assert_false(dw_disk_looks_alike(a, &c));
	}
}

static void protected_by_any_name(void **state)
{
	struct dw_disk_info info = { .serial = "Z1Z8ABCD",
				     .wwn = "0x5000c500a1b2c3d4",
				     .slot = "6:0:9:0:Slot 07" };
	static const char *const yes[] = { "z1z8abcd", "0x5000C500A1B2C3D4",
					   "5000c500a1b2c3d4", "6:0:9:0:slot 07" };
	static const char *const no[] = { "Z1Z8ABC", "Z1Z8ABCDE", "0x5000c500",
					  "Slot 07", "",          "0x" };

	for (size_t i = 0; i < 4; i++) {
		const char *list[] = { "other", yes[i], NULL };

		assert_ptr_equal(yes[i], dw_protect_find(&dw_machine_self, &info, list));
		assert_null(dw_protect_find(&dw_machine_self, &nameless, list));
	}
	for (size_t i = 0; i < 6; i++) {
		const char *list[] = { no[i], NULL };

		assert_null(dw_protect_find(&dw_machine_self, &info, list));
		assert_null(dw_protect_find(&dw_machine_self, &nameless, list));
	}
	assert_null(dw_protect_find(&dw_machine_self, &info, NULL));
}

static void means(const struct dw_disk_info *info, const char *const *entry, bool want)
{
	for (; *entry; entry++)
		if (dw_protect_means(&dw_machine_self, *entry, info) != want)
			fail_msg("%s: %s", *entry, want ? "missed" : "taken");
}

/* As the kernel, udev, multipath, smartctl and this program spell it. */
static void protected_by_any_spelling(void **state)
{
	static const struct dw_disk_info
		sas = { .serial = "Z1Z8 ABCD",
			.wwn = "0x5000c500a1b2c3d4",
			.aliases = "0x5000c500a1b2c3d4\n"
				   "eui.0025385b01234567\n"
				   "iqn.2003-01.org:disk\n" },
		raid = { .wwn = "0x600508b1001c4d4b0123456789abcdef" },
		sata = { .serial = "WD-WCC7K4ABCDEF",
			 .wwn = "t10.ATA     WDC WD40EFRX-68N32N0     WD-WCC7K4ABCDEF" },
		nvme = { .serial = "S4EWNX0R123456",
			 .wwn = "eui.0025385b21403a1c",
			 .aliases = "00 25 38 5b 21 40 3a 1d\n"
				    "0025385b-2140-3a1c-0025-385b21403a1e\n" };
	static const char *const is_sas
		[] = { "naa.5000c500a1b2c3d4",
		       "NAA.5000C500A1B2C3D4",
		       "wwn-0x5000c500a1b2c3d4",
		       "35000c500a1b2c3d4",
		       "scsi-35000c500a1b2c3d4",
		       "mpath-35000c500a1b2c3d4",
		       "dm-uuid-mpath-35000c500a1b2c3d4",
		       "eui.0025385b01234567",
		       "scsi-20025385b01234567",
		       "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4",
		       "/dev/disk/by-id/scsi-35000c500a1b2c3d4-part2",
		       " Z1Z8 ABCD ",
		       "z1z8_abcd",
		       "iqn.2003-01.org:disk",
		       "scsi-SSEAGATE_ST4000NM0023_Z1Z8_ABCD",
		       NULL },
	  *const is_raid[] = { "naa.600508b1001c4d4b0123456789abcdef",
			       "3600508B1001C4D4B0123456789ABCDEF",
			       "scsi-3600508b1001c4d4b0123456789abcdef",
			       "0x600508b1001c4d4b", NULL },
	  *const is_sata
		  [] = { "ata-WDC_WD40EFRX-68N32N0_WD-WCC7K4ABCDEF",
			 "scsi-1ATA_WDC_WD40EFRX-68N32N0_WD-WCC7K4ABCDEF",
			 "scsi-SATA_WDC_WD40EFRX-68N_WD-WCC7K4ABCDEF",
			 "usb-WD_My_Book_WD-WCC7K4ABCDEF-0:0",
			 "/dev/disk/by-id/ata-WDC_WD40EFRX-68N32N0_WD-WCC7K4ABCDEF-part1",
			 NULL },
	  *const is_nvme[] = { "nvme-eui.0025385b21403a1c",
			       "eui.0025385B21403A1C",
			       "0025385b21403a1d",
			       "uuid.0025385b-2140-3a1c-0025-385b21403a1e",
			       "nvme-Samsung_SSD_970_EVO_S4EWNX0R123456_1",
			       NULL };
	static const char *const not_sas[] = { "naa.5000c500a1b2c3d5",
					       "wwn-0x5000c500a1b2c3",
					       "scsi-25000c500a1b2c3d4x",
					       "ABCD",
					       "ata-MODEL_XZ1Z8_ABCD",
					       "scsi-",
					       "0x",
					       "_",
					       "/dev/null",
					       NULL };

	means(&sas, is_sas, true);
	means(&raid, is_raid, true);
	means(&sata, is_sata, true);
	means(&nvme, is_nvme, true);
	means(&sas, not_sas, false);
	means(&sas, is_raid, false);
	means(&raid, is_sas, false);
	means(&sata, is_nvme, false);
	means(&nvme, is_sata, false);
}

static void refusals_have_names(void **state)
{
	for (int a = 0; a < DW_REFUSAL_COUNT; a++)
		for (int b = 0; b < a; b++)
			assert_string_not_equal(dw_refusal_name(a), dw_refusal_name(b));
	assert_string_equal("unknown", dw_refusal_name(DW_REFUSAL_COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_disk),
		cmocka_unit_test(adapter_without_long_commands),
		cmocka_unit_test(unit_attentions_are_passed),
		cmocka_unit_test(another_disk),
		cmocka_unit_test(another_disk_meanwhile),
		cmocka_unit_test(another_size),
		cmocka_unit_test(long_capacity_tells_nothing),
		cmocka_unit_test(old_disk_without_pages),
		cmocka_unit_test(old_disk_reads_one_byte),
		cmocka_unit_test(long_page_is_asked_for_whole),
		cmocka_unit_test(nameless_disk),
		cmocka_unit_test(nameless_twins),
		cmocka_unit_test(other_names),
		cmocka_unit_test(renewal_asks_for_names_only),
		cmocka_unit_test(silence_tells_nothing),
		cmocka_unit_test(wrong_page_is_no_name),
		cmocka_unit_test(unfinished_is_unknown),
		cmocka_unit_test(counts),
		cmocka_unit_test(cache),
		cmocka_unit_test(duplicates_are_refused),
		cmocka_unit_test(protected_by_any_name),
		cmocka_unit_test(protected_by_any_spelling),
		cmocka_unit_test(refusals_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
