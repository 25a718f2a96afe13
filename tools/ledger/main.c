/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe-ledger: the ledger of a fleet is checked, as it arrives and beside the heads that nobody
 * can change, and chains of it become folders again.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "common/program.h"
#include "fleet/check.h"

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define PATIENCE_S 600
#define GRACE_H    24
#define GRACE_MAX  8760
#define HOUR_S     3600

/** enum ledger_exit - how the program ends; 5 and 9 as `diskwipe records verify` has them */
enum ledger_exit {
	LEDGER_OK = 0,
	LEDGER_FAILED = 1,
	LEDGER_FAULT = 5,
	LEDGER_UNPROVEN = 9,
	LEDGER_BACK = 10,
};

const char cli_name[] = "diskwipe-ledger";

enum ledger_bit {
	VERIFY = 1 << 0,
	AUDIT = 1 << 1,
	FETCH = 1 << 2,
	ALL = VERIFY | AUDIT | FETCH,
};

/** struct ledger_options - one call of the program; texts are borrowed from argv */
struct ledger_options {
	const char *signers;
	const char *state;
	const char *heads;
	const char *endpoint;
	const char *region;
	const char *credentials;
	const char *ca_file;
	const char *grace;
	bool all;
	bool resume;
	bool accept;
	bool mark;
	bool plain;
	struct fleet_selection selection;
	const char **operand;
};

static const struct program_verb verbs[] = {
	{ "verify", VERIFY, "Check what has arrived: bytes, signatures, chains." },
	{ "audit", AUDIT, "Prove that all is there, by heads kept elsewhere." },
	{ "fetch", FETCH, "Chains as folders again, to be checked as such." },
};

/* AT() - the member of struct ledger_options that a row is for */
#define AT(member) .at = offsetof(struct ledger_options, member)

static const struct program_option options[] = {
	{ "signers", 'S', ALL, "FILE", "who may sign; it is needed", AT(signers) },
	{ "state", 's', VERIFY, "FILE", "remember there how far each chain had come",
	  AT(state) },
	{ "all", 'A', VERIFY, NULL, "look again at chains that seem to be as they were",
	  AT(all) },
	{ "resume", 'R', VERIFY, NULL, "with --all: go on where one was cut off",
	  AT(resume) },
	{ "accept", 'y', VERIFY, NULL, "take what is an alarm as it is from now on",
	  AT(accept) },
	{ "mark", 'm', VERIFY, NULL, "tell the database how far chains are whole",
	  AT(mark) },
	{ "heads", 'H', AUDIT, "s3://...", "where the heads are; it is needed",
	  AT(heads) },
	{ "endpoint", 'e', AUDIT, "URL", "of a bucket that is not Amazon's",
	  AT(endpoint) },
	{ "region", 'r', AUDIT, "NAME", "for the signatures of requests", AT(region) },
	{ "credentials-file", 'f', AUDIT, "FILE", "else AWS_ACCESS_KEY_ID and so on",
	  AT(credentials) },
	{ "ca-file", 'c', AUDIT, "FILE", "who may have signed its certificate (PEM)",
	  AT(ca_file) },
	{ "plain", 'p', AUDIT, NULL, "the endpoint may be one of http://", AT(plain) },
	{ "grace", 'g', AUDIT, "HOURS", "that a record may be on its way; default 24",
	  AT(grace) },
	{ "serial", 'n', FETCH, "TEXT", "chains that have that disk",
	  AT(selection.serial) },
	{ "label", 'b', FETCH, "TEXT", "chains that have that job", AT(selection.label) },
	{ "customer", 'k', FETCH, "NAME", "chains that have disks of that customer",
	  AT(selection.customer) },
	{ "order", 'o', FETCH, "TEXT", "chains that have that order",
	  AT(selection.order) },
	{ "asset", 'a', FETCH, "TAG", "chains that have the disk with that tag",
	  AT(selection.asset) },
	{ "operator", 'w', FETCH, "NAME", "chains that have work of that person",
	  AT(selection.operator_name) },
	{ "help", 'h', ALL, NULL, "this text" },
	{ "version", 'V', ALL, NULL, "version of the program" },
};

static int failed(const struct dw_error *err)
{
	char text[DW_ERROR_TEXT];

	return cli_refuse(LEDGER_FAILED, "%s", dw_error_text(err, text));
}

static const struct program program = {
	.called = "diskwipe-ledger",
	.usage =
		"Usage: diskwipe-ledger verify --signers=FILE [OPTION...] DATABASE\n"
		"       diskwipe-ledger audit --signers=FILE --heads=s3://... [OPTION...] DB\n"
		"       diskwipe-ledger fetch --signers=FILE [OPTION...] DATABASE DIR\n\n"
		"Checks the ledger of a fleet, a database of PostgreSQL: postgresql://...\n\n",
	.closing =
		"Exit status: 0; 1: usage, or nothing can be asked; 5: something is not as it\n"
		"was signed, or missing; 9: nobody outside can say that all is there; 10: a\n"
		"chain went back. See diskwipe-ledger(1).\n",
	.width = 24,
	.verb = verbs,
	.n_verbs = COUNT(verbs),
	.option = options,
	.n_options = COUNT(options),
};

/* What is wrong goes to the standard error, so that it is not lost beside what was counted. */
static void say(void *ctx, enum fleet_finding f, const char *chain, const char *text)
{
	static const char *const words[] = { [FLEET_NOTE] = "note",
					     [FLEET_UNPROVEN] = "not proven",
					     [FLEET_FAULT] = "wrong",
					     [FLEET_BACK] = "ALARM" };
	char shown[512];

	snprintf(shown, sizeof(shown), "%s", text);
	fprintf(stderr, "diskwipe-ledger: %s: %s%.16s%s%s\n", words[f],
		chain ? "chain " : "", chain ? chain : "", chain ? ": " : "",
		dw_text_printable(shown));
}

static int code_of(const struct fleet_check *c)
{
	static const int codes[] = { [FLEET_NOTE] = LEDGER_OK,
				     [FLEET_UNPROVEN] = LEDGER_UNPROVEN,
				     [FLEET_FAULT] = LEDGER_FAULT,
				     [FLEET_BACK] = LEDGER_BACK };

	return codes[c->worst];
}

static int run_verify(const struct ledger_options *o, struct fleet_check *c)
{
	struct dw_error err = { 0 };

	if (o->resume && (!o->all || !o->state))
		return cli_refuse(
			LEDGER_FAILED,
			"--resume goes on with --all, by what --state remembers: "
			"name both");
	c->state = o->state;
	c->all = o->all;
	c->resume = o->resume;
	c->accept = o->accept;
	c->mark = o->mark;
	if (fleet_verify(c, o->signers, &err))
		return failed(&err);
	printf("%" PRIu64 " chains with %" PRIu64 " records are whole; %" PRIu64
	       " chains seem to be as they were\n",
	       c->chains, c->records, c->passed_over);
	return code_of(c);
}

static int parse_grace(const struct ledger_options *o, int64_t *ret)
{
	uint64_t hours = GRACE_H;

	if (o->grace && (dw_number_parse(o->grace, &hours) || hours > GRACE_MAX))
		return cli_refuse(LEDGER_FAILED, "--grace: '%s' is not a number of hours",
				  o->grace);
	*ret = (int64_t)hours * HOUR_S;
	return 0;
}

static int run_audit(const struct ledger_options *o, struct fleet_check *c)
{
	struct fleet_bucket b;
	struct dw_error err = { 0 };
	int r = parse_grace(o, &c->grace);

	if (r)
		return r;
	if (!o->heads)
		return cli_refuse(LEDGER_FAILED,
				  "--heads=s3://BUCKET/PREFIX is missing: where "
				  "are the heads?");
	r = fleet_bucket_parse(o->heads, o->endpoint, o->region, o->plain, &b, &err);
	if (!r)
		r = fleet_bucket_login(&b, o->credentials, &err);
	if (!r && o->ca_file)
		snprintf(b.ca_file, sizeof(b.ca_file), "%s", o->ca_file);
	c->bucket = &b;
	if (!r)
		r = fleet_audit(c, o->signers, &err);
	fleet_bucket_deinit(&b);
	c->bucket = NULL;
	if (r)
		return failed(&err);
	printf("%" PRIu64 " chains with %" PRIu64 " records are whole, %" PRIu64
	       " of them up to a head outside\n",
	       c->chains, c->records, c->proven);
	return code_of(c);
}

/* One chain in a folder of its name. What is wrong in it is for whoever checks that folder. */
static int fetch_one(const struct ledger_options *o, struct fleet_check *c,
		     const char *chain, struct dw_error *err)
{
	char path[4096];
	struct fleet_copy copy;
	int r;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", o->operand[1], chain) >=
	    sizeof(path))
		return cli_refuse(LEDGER_FAILED, "%s: too long", o->operand[1]);
	if (mkdir(path, 0700))
		return cli_refuse(LEDGER_FAILED, "%s: %m", path);
	r = fleet_chain_copy(c->db, chain, c->signers, path, &copy, err);
	if (r)
		return failed(err);
	if (copy.fork)
		fleet_say(c, FLEET_FAULT, chain,
			  "there are two signed records %" PRIu64
			  ": see diskwipe-ledger verify",
			  copy.fork);
	if (!copy.head) {
		/* what somebody made up is in nobody's way; a station's chain has a head */
		fleet_say(c, copy.genuine ? FLEET_FAULT : FLEET_NOTE, chain,
			  "no head of it is signed by somebody in the list: none of its "
			  "records counts");
		rmdir(path);
	}
	c->chains++;
	fleet_copy_deinit(&copy);
	return 0;
}

static int run_fetch(const struct ledger_options *o, struct fleet_check *c)
{
	struct fleet_chain *chain = NULL;
	struct dw_error err = { 0 };
	size_t n = 0;
	int r;

	if (fleet_chains_list(c->db, &o->selection, &chain, &n, &err))
		return failed(&err);
	r = 0;
	for (size_t i = 0; i < n && !r; i++)
		r = fetch_one(o, c, chain[i].name, &err);
	free(chain);
	return r ? r : code_of(c);
}

static int run_verb(const struct program_verb *verb, const struct ledger_options *o,
		    struct fleet_check *c)
{
	switch (verb->bit) {
	case VERIFY:
		return run_verify(o, c);
	case AUDIT:
		return run_audit(o, c);
	default:
		return run_fetch(o, c);
	}
}

/* A list of signers that came with what it is to judge would prove nothing: there is no default. */
static int run(const struct program_verb *verb, const struct ledger_options *o)
{
	struct fleet_check c = { .say = say };
	struct dw_signers signers = { .n = 0 };
	struct dw_error err = { 0 };
	int r;

	if (!o->signers)
		return cli_refuse(LEDGER_FAILED,
				  "--signers=FILE is missing: who may sign? See "
				  "docs/ledger.md");
	if (dw_signers_read(o->signers, &signers, &err))
		return failed(&err);
	c.signers = &signers;
	r = fleet_db_open(o->operand[0], NULL, PATIENCE_S, &c.db, &err);
	r = r ? failed(&err) : run_verb(verb, o, &c);
	fleet_db_close(c.db);
	dw_signers_free(&signers);
	return r;
}

int main(int argc, char **argv)
{
	struct ledger_options o = { .signers = NULL };
	struct program_call call;
	int r = program_parse(&program, argc, argv, &o, &call);

	if (r || program_answer(&program, &call))
		return r;
	if (call.n_operands != (call.verb->bit == FETCH ? 2 : 1))
		return cli_refuse(LEDGER_FAILED,
				  "%s takes %s; see diskwipe-ledger --help",
				  call.verb->name,
				  call.verb->bit == FETCH ? "a database and a folder"
							  : "a database");
	o.operand = call.operand;
	return run(call.verb, &o);
}
