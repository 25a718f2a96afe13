/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be done to the enclosure while it runs, one command a line. The
 * answer's first line is "ok" or "error: ..."; anything asked for follows.
 */
#include "ctl.h"

#include "config.h"
#include "words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct dw_rack *rack;
	struct dw_word *w; /* after the command's name */
	int n;
	const char *rest; /* the line after the name and the disk */
	struct dw_port *port;
	FILE *out;
};

static bool flag(const struct args *a, const char *word)
{
	int i;

	for (i = 0; i < a->n; i++)
		if (!strcmp(a->w[i].key, word))
			return true;
	return false;
}

/* "quiet", or a unit attention somewhere among the words */
static uint16_t attention(const struct args *a, uint16_t usual)
{
	struct dw_sense s;
	int i;

	if (flag(a, "quiet"))
		return 0;
	for (i = 0; i < a->n; i++)
		if (dw_sense_parse(a->w[i].key, &s))
			return s.asc;
	return usual;
}

static int do_gone(struct args *a)
{
	dw_rack_gone(a->rack, a->port->id, flag(a, "quiet"));
	return 0;
}

static int do_back(struct args *a)
{
	dw_rack_back(a->rack, a->port->id, flag(a, "quiet"));
	return 0;
}

static int do_reset(struct args *a)
{
	dw_rack_reset(a->rack, a->port->lu, !flag(a, "keep"), attention(a, ASC_POWER_ON));
	return 0;
}

static int do_reset_all(struct args *a)
{
	unsigned int i;

	for (i = 0; i < DW_PORTS_MAX; i++)
		if (a->rack->lu[i])
			dw_rack_reset(a->rack, a->rack->lu[i], !flag(a, "keep"),
				      attention(a, ASC_POWER_ON));
	return 0;
}

static int do_ua(struct args *a)
{
	uint16_t asc = attention(a, 0);

	dw_port_ua(a->port, asc);
	return asc ? 0 : -EINVAL;
}

static int do_swap(struct args *a)
{
	uint64_t b;

	if (a->n < 1 || !dw_number_parse(a->w[0].key, &b) || b >= DW_PORTS_MAX ||
	    !a->rack->port[b].lu)
		return -EINVAL;
	dw_rack_swap(a->rack, a->port->id, (unsigned int)b, attention(a, 0x3f0e));
	return 0;
}

/* pulled, and put into an empty bay */
static int do_move(struct args *a)
{
	uint64_t b;

	if (a->n < 1 || !dw_number_parse(a->w[0].key, &b) || b >= DW_PORTS_MAX ||
	    !a->rack->port[b].lu || !a->rack->port[b].gone || a->port->gone)
		return -EINVAL;
	dw_rack_gone(a->rack, a->port->id, false);
	dw_rack_swap(a->rack, a->port->id, (unsigned int)b, 0);
	dw_rack_back(a->rack, (unsigned int)b, false);
	return 0;
}

static int do_leds(struct args *a)
{
	const struct dw_lu *lu = a->port->lu;
	unsigned int i;

	if (!lu->conf.ses)
		return -EINVAL;
	for (i = 0; i < lu->conf.ses; i++)
		fprintf(a->out, "%u%s%s\n", i,
			lu->leds[i] & DW_LED_LOCATE ? " locate" : "",
			lu->leds[i] & DW_LED_FAULT ? " fault" : "");
	return 0;
}

static int do_capacity(struct args *a)
{
	uint64_t blocks;

	if (a->n < 1 || !dw_number_parse(a->w[0].key, &blocks))
		return -EINVAL;
	return dw_rack_resize(a->rack, a->port->id, blocks, flag(a, "quiet"));
}

static int do_clip(struct args *a)
{
	uint64_t blocks;

	if (a->n < 1 || !dw_number_parse(a->w[0].key, &blocks) || !blocks ||
	    blocks > a->port->lu->native)
		return -EINVAL;
	dw_lu_clip(a->port->lu, blocks);
	return 0;
}

static int do_lost(struct args *a)
{
	a->port->lu->device->write_errors++;
	return 0;
}

static int do_set(struct args *a)
{
	return dw_config_set(a->rack, a->port->id, a->rest);
}

static int do_plant(struct args *a)
{
	uint64_t lba, nlb;

	if (a->n < 3 || !dw_number_parse(a->w[0].key, &lba) ||
	    !dw_number_parse(a->w[1].key, &nlb))
		return -EINVAL;
	return dw_lu_plant(a->port->lu, lba, nlb, a->w[2].key);
}

static int do_notready(struct args *a)
{
	uint64_t ms;

	if (a->n < 1 || !dw_number_parse(a->w[0].key, &ms))
		return -EINVAL;
	a->port->lu->ready_ns = dw_loop_now() + ms * 1000000;
	return 0;
}

static int do_stop(struct args *a)
{
	a->port->lu->device->stopped = true;
	return 0;
}

static int do_abort(struct args *a)
{
	dw_rack_abort(a->rack, a->port->id, 0, false);
	return 0;
}

static int do_reserve(struct args *a)
{
	uint64_t type, key = 0xf0e1;

	if (a->n < 1 || !dw_number_parse(a->w[0].key, &type) || type > 8 ||
	    (a->n > 1 && !dw_number_parse(a->w[1].key, &key)))
		return -EINVAL;
	a->port->lu->pr = (struct dw_pr){ 0 };
	if (type)
		a->port->lu->pr = (struct dw_pr){ .reg = { { DW_PR_FOREIGN, key } },
						  .n = 1,
						  .generation = 1,
						  .held = true,
						  .holder = DW_PR_FOREIGN,
						  .key = key,
						  .type = (uint8_t)type };
	return 0;
}

static int do_firmware(struct args *a)
{
	dw_firmware_print(a->rack, a->port->lu, a->out);
	return 0;
}

static int do_finish(struct args *a)
{
	struct dw_firmware *f = &a->port->lu->firmware;

	if (f->state != DW_FIRMWARE_RUNNING)
		return -EINVAL;
	f->need_ns = 0;
	dw_firmware_look(a->rack, a->port->lu);
	if (f->state != DW_FIRMWARE_RUNNING)
		dw_rack_let_go(a->rack, (int)a->port->id, DW_HELD_BY_WORK);
	return 0;
}

/* what the medium holds, also where nobody can read it */
static int do_holds(struct args *a)
{
	uint64_t lba, nlb;

	if (a->n < 2 || !dw_number_parse(a->w[0].key, &lba) ||
	    !dw_number_parse(a->w[1].key, &nlb))
		return -EINVAL;
	dw_firmware_look(a->rack, a->port->lu);
	return dw_lu_holds(a->port->lu, lba, nlb, flag(a, "spare"), a->out);
}

static int do_cycle(struct args *a)
{
	dw_rack_gone(a->rack, a->port->id, true);
	dw_rack_back(a->rack, a->port->id, true);
	return 0;
}

static int do_clear(struct args *a)
{
	dw_faults_clear(&a->rack->faults, (int)a->port->id);
	dw_rack_let_go(a->rack, (int)a->port->id, DW_HELD_BY_FAULT);
	return 0;
}

static int do_clear_all(struct args *a)
{
	dw_faults_clear(&a->rack->faults, -1);
	dw_rack_let_go(a->rack, -1, DW_HELD_BY_FAULT);
	return 0;
}

static int do_fault(struct args *a)
{
	struct dw_fault f;
	int e = dw_fault_parse(a->rest, &f);

	return e ? e : dw_faults_add(&a->rack->faults, &f);
}

static int do_answer(struct args *a)
{
	struct dw_fault f;
	int e = dw_answer_parse(a->rest, &f);

	return e ? e : dw_faults_add(&a->rack->faults, &f);
}

static int do_stats(struct args *a)
{
	dw_stats_print(a->rack, a->out);
	return 0;
}

static int do_held(struct args *a)
{
	fprintf(a->out, "%" PRIu64 "\n", dw_held(a->rack, a->port));
	return 0;
}

static const struct verb {
	const char *name;
	bool disk; /* a disk's number comes next */
	int (*run)(struct args *a);
} verbs[] = {
	{ "gone", true, do_gone },
	{ "back", true, do_back },
	{ "reset", true, do_reset },
	{ "reset-all", false, do_reset_all },
	{ "ua", true, do_ua },
	{ "swap", true, do_swap },
	{ "move", true, do_move },
	{ "leds", true, do_leds },
	{ "cycle", true, do_cycle },
	{ "firmware", true, do_firmware },
	{ "finish", true, do_finish },
	{ "holds", true, do_holds },
	{ "capacity", true, do_capacity },
	{ "clip", true, do_clip },
	{ "lost", true, do_lost },
	{ "set", true, do_set },
	{ "plant", true, do_plant },
	{ "notready", true, do_notready },
	{ "stop", true, do_stop },
	{ "abort", true, do_abort },
	{ "reserve", true, do_reserve },
	{ "held", true, do_held },
	{ "clear", true, do_clear },
	{ "clear-all", false, do_clear_all },
	{ "fault", false, do_fault },
	{ "answer", false, do_answer },
	{ "stats", false, do_stats },
};

static const struct verb *find_verb(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

static const char *after_words(const char *line, int words)
{
	for (; words; words--) {
		line += strspn(line, " \t");
		line += strcspn(line, " \t");
	}
	return line;
}

static int run(struct args *a, const struct verb *v, const char *line)
{
	uint64_t id;

	a->rest = after_words(line, v->disk ? 2 : 1);
	if (v->disk) {
		if (!a->n || !dw_number_parse(a->w[0].key, &id) || id >= DW_PORTS_MAX ||
		    !a->rack->port[id].lu)
			return -ENODEV;
		a->port = &a->rack->port[id];
		a->w++;
		a->n--;
	}
	return v->run(a);
}

/**
 * dw_ctl_exec - carry out one command
 * @r: running enclosure
 * @line: command
 * @out: answer
 *
 * Return: 0 or a negative errno, which the answer says too.
 */
int dw_ctl_exec(struct dw_rack *r, const char *line, FILE *out)
{
	struct dw_word w[DW_WORDS_MAX];
	struct args a = { .rack = r, .out = out };
	const struct verb *v;
	char *buf = strdup(line), *answer = NULL;
	size_t len = 0;
	int e = -EINVAL, n;

	if (!buf)
		return -ENOMEM;
	n = dw_words_split(buf, w, DW_WORDS_MAX);
	v = n > 0 ? find_verb(w[0].key) : NULL;
	a.w = w + 1;
	a.n = n - 1;
	a.out = open_memstream(&answer, &len);
	if (!a.out) {
		free(buf);
		return -ENOMEM;
	}
	if (v)
		e = run(&a, v, line);
	fclose(a.out);
	free(buf);
	if (e)
		fprintf(out, "error: %s\n", v ? strerror(-e) : "unknown command");
	else
		fprintf(out, "ok\n%s", answer);
	free(answer);
	return e;
}
