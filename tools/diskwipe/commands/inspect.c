/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe inspect: what a disk is and what it can do, found by commands that read. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "output/out.h"
#include "job/await.h"
#include "job/sets.h"
#include "job/ways.h"
#include "job/words.h"
#include "own.h"

struct inspected {
	struct dw_inspected *disk;
	size_t n;
	struct dw_refused *refused;
	size_t n_refused;
};

static void refuse(struct inspected *f, const char *device, const struct dw_verdict *v)
{
	struct dw_refused *r = &f->refused[f->n_refused++];

	snprintf(r->device, sizeof(r->device), "%s", device);
	r->verdict = *v;
	cli_warn("%s: %s", device, v->reason);
}

static bool can_be_read(enum dw_refusal why)
{
	return why != DW_REFUSAL_MISSING && why != DW_REFUSAL_NOT_A_DISK &&
	       why != DW_REFUSAL_ERROR && why != DW_REFUSAL_PERMISSION;
}

static void inspect(struct cli *c, const char *device, struct inspected *f)
{
	struct dw_inspected *d = &f->disk[f->n];
	int r = dw_disk_examine(device, &c->spec.rules, &d->disk);

	if (!r)
		cli_await_moment(c, &d->disk);
	if (!r && !can_be_read(d->disk.verdict.refusal)) {
		refuse(f, device, &d->disk.verdict);
		return;
	}
	if (!r)
		r = dw_disk_inspect(device, &d->disk.info, &d->can);
	if (r < 0) {
		struct dw_verdict v = { .refusal = DW_REFUSAL_ERROR };

		snprintf(v.reason, sizeof(v.reason), "cannot be examined: %s",
			 strerror(-r));
		refuse(f, device, &v);
		return;
	}
	cli_ways_inspect(d);
	f->n++;
}

static bool all_denied(const struct inspected *f)
{
	for (size_t i = 0; i < f->n_refused; i++)
		if (f->refused[i].verdict.refusal != DW_REFUSAL_PERMISSION)
			return false;
	return true;
}

static void print_disk(struct cli *c, const struct dw_inspected *d)
{
	const struct dw_disk_info *i = &d->disk.info;
	const struct dw_verdict *v = &d->disk.verdict;
	char size[DW_UNIT_TEXT], binary[DW_UNIT_TEXT];
	uint64_t bytes = cli_disk_bytes(i);

	printf("%s%s%s: %s %s, serial %s, WWN %s\n", cli_disk_node(i),
	       i->sg[0] && i->block[0] ? " = " : "", i->sg[0] ? i->block : "", i->vendor,
	       i->model, i->serial[0] ? i->serial : "unknown",
	       i->wwn[0] ? i->wwn : "unknown");
	printf("%llu blocks of %u bytes: %s (%s)\n", (unsigned long long)i->blocks,
	       i->block_size, dw_size_format(bytes, size, sizeof(size)),
	       dw_size_format_binary(bytes, binary, sizeof(binary)));
	if (v->refusal)
		printf("may not be erased: %s%s%s\n", v->reason,
		       v->release[0] ? "; to release it: " : "", v->release);
	else
		printf("may be erased\n");
	if (v->signatures[0])
		printf("contents: %s\n", v->signatures);
	if (i->password_left)
		printf("%s\n", DW_PASSWORD_WAY);
	cli_ways_print(d);
	cli_table_inspection(c, &d->can);
}

static void print(struct cli *c, const struct inspected *f)
{
	struct dw_set_report *sets = cli_sets_advise(c);

	if (c->show.json) {
		cli_out_text(c, dw_inspected_json(&(struct dw_inspect_report){
					.disk = f->disk,
					.n = f->n,
					.refused = f->refused,
					.n_refused = f->n_refused,
					.set = sets,
					.n_sets = c->pick.n_sets }));
		c->documented = true;
	}
	for (size_t i = 0; !c->show.json && i < c->pick.n_sets; i++)
		cli_sets_print(&sets[i]);
	for (size_t i = 0; !c->show.json && i < f->n; i++)
		print_disk(c, &f->disk[i]);
	free(sets);
}

/* For its owner alone, as it may name the disk; nothing is written over. */
static int save(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), r = 0;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f) {
		r = -errno;
		if (fd >= 0)
			close(fd);
		return r;
	}
	fputs(text, f);
	if (fflush(f) || fsync(fd))
		r = -errno;
	if (fclose(f) && !r)
		r = -errno;
	return r;
}

static int capture(struct cli *c)
{
	const struct cli_inspect_options *own = c->own;
	char *text;
	int r;

	if (c->n_operands != 1)
		return cli_fail(c, CLI_EXIT_USAGE, "--capture: goes with one device");
	r = dw_disk_capture(c->operand[0], own->anonymous, &text);
	if (r == -EOPNOTSUPP)
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"--capture: %s does not speak SCSI; its answers cannot be "
			"kept",
			c->operand[0]);
	if (r < 0)
		return cli_fail(c,
				r == -EACCES || r == -EPERM ? CLI_EXIT_PERMISSION
							    : CLI_EXIT_REFUSED,
				"--capture: %s: %s", c->operand[0], strerror(-r));
	r = save(own->capture_file, text);
	free(text);
	if (r < 0)
		return cli_fail(c, CLI_EXIT_USAGE, "--capture: %s: %s%s",
				own->capture_file, strerror(-r),
				r == -EEXIST ? "; name another file, or remove it" : "");
	return 0;
}

int cli_verb_inspect(struct cli *c)
{
	const struct cli_inspect_options *own = c->own;
	struct inspected f = { 0 };
	int r;

	if (!c->n_operands)
		return cli_no_device(c, "diskwipe inspect --help");
	if (own->link_rate && !own->member_rate)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--link: goes with --rate, the rate of one member");
	if (own->anonymous && !own->capture_file)
		return cli_fail(c, CLI_EXIT_USAGE, "--anonymous: goes with --capture");
	r = cli_config_load(c);
	if (!r)
		r = cli_words_resolve(c);
	if (!r)
		r = cli_sets_expand(c);
	if (!r && own->capture_file)
		r = capture(c);
	if (r)
		return r;
	f.disk = cli_allocate(c->n_operands, sizeof(*f.disk));
	f.refused = cli_allocate(c->n_operands, sizeof(*f.refused));
	for (size_t i = 0; i < c->n_operands; i++)
		inspect(c, c->operand[i], &f);
	print(c, &f);
	r = f.n_refused ? CLI_EXIT_REFUSED : CLI_EXIT_OK;
	if (f.n_refused == c->n_operands && all_denied(&f))
		r = CLI_EXIT_PERMISSION;
	free(f.disk);
	free(f.refused);
	return r;
}
