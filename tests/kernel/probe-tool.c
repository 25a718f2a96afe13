/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device layer by itself, for the tests of safety: prints verdicts as JSON, claims a
 * disk and lets go of it, and tries what must not be possible. It never writes data of
 * its own will: `write` goes through the claim and the guard, as the program does.
 *
 *	probe-tool [OPTIONS] VERB [NODE...]
 *
 *	list | examine NODE... | inspect NODE
 *	verdict NODE		refusal, reason, release and signatures, a line each
 *	claim NODE [COMMAND...]	claim, run the command, let go; 2 = refused
 *	write NODE		claim, write zeros to the whole disk by WRITE(16), let go
 *	try-write NODE		the same without a claim: the guard must refuse
 *	namespaces N		N processes, each in a mount namespace of its own, until it is
 *				ended
 *
 *	--logical, --protect X	as the configuration
 *	--before COMMAND	shell command between opening and claiming
 *	--bar NODE		no discovery may read the block device
 *	--reserve, --wce on|off, --raise BYTES	what a job may ask for, after the claim
 */
#include <errno.h>
#include <jansson.h>
#include <sched.h>
#include <scsi/sg.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/util.h"
#include "device/device.h"
#include "diskwipe/disk.h"
#include "judge/reading.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "transport/guard.h"
#include "own/claim.h"

static const char *protect[16];
static size_t n_protect;
static struct dw_rules rules = { .protect = protect };

static const char *before, *wce;
static uint32_t raise_bytes;
static bool reserve;

static json_t *verdict_json(const struct dw_verdict *v)
{
	return json_pack("{ss ss ss ss}", "refusal", dw_refusal_name(v->refusal),
			 "reason", v->reason, "release", v->release, "signatures",
			 v->signatures);
}

static json_t *disk_json(const struct dw_disk *d)
{
	const struct dw_disk_info *i = &d->info;
	char address[64];

	snprintf(address, sizeof(address), "%u:%u:%u:%llu", i->host, i->channel,
		 i->target, (unsigned long long)i->lun);
	return json_pack(
		"{ss ss ss ss ss ss ss ss ss sI si si si si si sb sb ss ss ss so}", "sg",
		i->sg, "block", i->block, "bsg", i->bsg, "address", address, "vendor",
		i->vendor, "model", i->model, "revision", i->revision, "serial",
		i->serial, "wwn", i->wwn, "blocks", (json_int_t)i->blocks, "block_size",
		(int)i->block_size, "physical", (int)i->physical_block_size, "pi",
		i->pi_type, "rotation", i->rotation, "wce", i->wce, "scsi", i->scsi,
		"logical", i->logical_volume, "transport", i->transport, "slot", i->slot,
		"driver", i->host_driver, "verdict", verdict_json(&d->verdict));
}

static int print(json_t *j)
{
	if (!j)
		return 1;
	json_dumpf(j, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(j);
	return 0;
}

static int fatal(const char *what, int r)
{
	fprintf(stderr, "%s: %s\n", what, strerror(-r));
	return 1;
}

static int do_list(void)
{
	struct dw_disk *disks;
	size_t n;
	int r = dw_disks_list(&rules, &disks, &n);

	if (r)
		return fatal("list", r);
	for (size_t i = 0; i < n; i++)
		print(disk_json(&disks[i]));
	free(disks);
	return 0;
}

static int do_examine(char **nodes)
{
	struct dw_disk disks[64];
	size_t n = 0;

	for (; *nodes && n < DW_ARRAY_SIZE(disks); nodes++, n++) {
		int r = dw_disk_examine(*nodes, &rules, &disks[n]);

		if (r)
			return fatal(*nodes, r);
	}
	dw_disks_refuse_duplicates(disks, n);
	for (size_t i = 0; i < n; i++)
		print(disk_json(&disks[i]));
	return 0;
}

static int do_verdict(const char *node)
{
	struct dw_disk d;
	int r = dw_disk_examine(node, &rules, &d);

	if (r)
		return fatal(node, r);
	printf("%s\n%s\n%s\n%s\n", dw_refusal_name(d.verdict.refusal), d.verdict.reason,
	       d.verdict.release, d.verdict.signatures);
	return 0;
}

static int do_inspect(const char *node)
{
	struct dw_disk_info info;
	struct dw_inspection in;
	int r = dw_disk_inspect(node, &info, &in);

	if (r)
		return fatal(node, r);
	for (size_t i = 0; i < in.n; i++)
		printf("%s=%s (%s)\n", in.line[i].key, in.line[i].value,
		       in.line[i].source);
	return 0;
}

/* 0 all done, 1 refused, -errno */
static int prepare(struct dw_device *d, struct dw_verdict *v)
{
	int r = dw_device_claim(d, &rules, v);

	if (!r && reserve)
		r = dw_device_reserve(d, v);
	if (!r && wce && dw_device_set_wce(d, !strcmp(wce, "on")))
		r = -EOPNOTSUPP;
	if (!r && raise_bytes)
		fprintf(stderr, "raised to %u\n",
			dw_device_raise_max_sectors(d, raise_bytes));
	return r;
}

static int claim(const char *node, struct dw_device **ret)
{
	struct dw_verdict v;
	int r = dw_device_open(node, ret);

	if (r)
		return fatal(node, r);
	if (before && system(before))
		return fatal(before, -ECHILD);
	r = prepare(*ret, &v);
	if (!r)
		return 0;
	dw_device_close(*ret);
	if (r < 0)
		return fatal(node, r);
	print(verdict_json(&v));
	return 2;
}

static int run(char **argv)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int do_claim(char **argv)
{
	struct dw_device *d;
	int r = claim(argv[0], &d);

	if (r)
		return r;
	fprintf(stderr, "%s\n", d->claim.by);
	if (argv[1])
		r = run(argv + 1);
	dw_device_close(d);
	return r;
}

/* One WRITE(16) as a transport would send it: through the guard, then SG_IO. */
static int send_write(const struct dw_target *t, uint64_t lba, uint32_t nlb, void *data)
{
	struct dw_cdb_extent x = { .verb = DW_EXTENT_WRITE, .lba = lba, .nlb = nlb };
	struct dw_cmd cmd = { .dir = DW_DIR_OUT,
			      .data = data,
			      .data_len = nlb * t->block_size };
	unsigned char sense[64];
	struct sg_io_hdr hdr = { .interface_id = 'S',
				 .cmdp = cmd.cdb,
				 .sbp = sense,
				 .mx_sb_len = sizeof(sense),
				 .timeout = 30000,
				 .dxfer_direction = SG_DXFER_TO_DEV,
				 .dxferp = data,
				 .dxfer_len = cmd.data_len };
	int r = dw_cdb_fill_extent(cmd.cdb, 16, &x);

	if (r < 0)
		return r;
	hdr.cmd_len = cmd.cdb_len = (uint8_t)r;
	r = dw_guard_check(t, &cmd);
	if (r)
		return r;
	if (ioctl(t->sg_fd >= 0 ? t->sg_fd : t->blk_fd, SG_IO, &hdr))
		return -errno;
	return hdr.status || hdr.host_status ? -EIO : 0;
}

static int write_all(struct dw_device *d)
{
	struct dw_target t;
	uint32_t nlb = 256;
	void *zeros = calloc(nlb, d->caps.block_size);
	int r = zeros ? 0 : -ENOMEM;

	dw_device_target(d, 1, nlb * d->caps.block_size, &t);
	for (uint64_t lba = 0; !r && lba < t.blocks; lba += nlb)
		r = send_write(&t, lba, (uint32_t)dw_min_u64(nlb, t.blocks - lba), zeros);
	free(zeros);
	return r;
}

static int do_write(const char *node, bool with_claim)
{
	struct dw_device *d;
	int r = with_claim ? claim(node, &d) : dw_device_open(node, &d);

	if (r)
		return r > 0 ? r : fatal(node, r);
	r = write_all(d);
	dw_device_close(d);
	return r ? fatal("write", r) : 0;
}

static int stay(void *parent)
{
	if (parent)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	pause();
	return 0;
}

/* Processes without memory of their own: a thousand are made in no time, and end with this one. */
static int do_namespaces(unsigned int n)
{
	enum { STACK = 16384 };
	char *stacks = calloc(n, STACK);

	for (unsigned int i = 0; stacks && i < n; i++)
		if (clone(stay, stacks + (i + 1) * STACK, CLONE_VM | CLONE_NEWNS,
			  stacks) < 0)
			return fatal("clone", -errno);
	puts("ready");
	fflush(stdout);
	return stay(NULL);
}

static int bar(const char *node)
{
	struct stat st;

	return stat(node, &st) < 0 || dw_reading_bar(st.st_rdev, 0);
}

static int options(int argc, char **argv)
{
	int i = 1;

	for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
		if (!strcmp(argv[i], "--logical"))
			rules.logical = true;
		else if (!strcmp(argv[i], "--reserve"))
			reserve = true;
		else if (i + 1 == argc)
			return argc;
		else if (!strcmp(argv[i], "--protect") && n_protect < 15)
			protect[n_protect++] = argv[++i];
		else if (!strcmp(argv[i], "--before"))
			before = argv[++i];
		else if (!strcmp(argv[i], "--bar") && !bar(argv[i + 1]))
			i++;
		else if (!strcmp(argv[i], "--wce"))
			wce = argv[++i];
		else if (!strcmp(argv[i], "--raise"))
			raise_bytes = (uint32_t)strtoul(argv[++i], NULL, 10);
		else
			return argc;
	}
	return i;
}

int main(int argc, char **argv)
{
	int i = options(argc, argv);
	const char *verb = i < argc ? argv[i] : "";

	if (!strcmp(verb, "list"))
		return do_list();
	if (i + 1 < argc && !strcmp(verb, "examine"))
		return do_examine(argv + i + 1);
	if (i + 1 < argc && !strcmp(verb, "verdict"))
		return do_verdict(argv[i + 1]);
	if (i + 1 < argc && !strcmp(verb, "inspect"))
		return do_inspect(argv[i + 1]);
	if (i + 1 < argc && !strcmp(verb, "claim"))
		return do_claim(argv + i + 1);
	if (i + 1 < argc && !strcmp(verb, "write"))
		return do_write(argv[i + 1], true);
	if (i + 1 < argc && !strcmp(verb, "try-write"))
		return do_write(argv[i + 1], false);
	if (i + 1 < argc && !strcmp(verb, "namespaces"))
		return do_namespaces((unsigned int)atoi(argv[i + 1]));
	fputs("usage: probe-tool [OPTIONS] VERB [NODE...]\n", stderr);
	return 64;
}
