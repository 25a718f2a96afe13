/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration of the service: what is not understood is an error that names its place; what
 * a caller or a bay may ask for is the library's table without what is the machine's.
 */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/field.h"
#include "service/settings.h"

static char path[] = "/tmp/dw-settings.XXXXXX";
static char safety[] = "/tmp/dw-safety.XXXXXX";

static int load(const char *text, struct settings **ret, struct dw_error *err)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return settings_load(path, true, safety, ret, err);
}

static struct settings *good(const char *text)
{
	struct settings *s = NULL;
	struct dw_error err = { 0 };
	char line[DW_ERROR_TEXT];

	if (load(text, &s, &err) < 0)
		fail_msg("%s", dw_error_text(&err, line));
	return s;
}

static void bad(const char *text, const char *says, unsigned line)
{
	struct settings *s = NULL;
	struct dw_error err = { 0 };
	char got[DW_ERROR_TEXT];

	assert_int_equal(load(text, &s, &err), -EINVAL);
	assert_null(s);
	dw_error_text(&err, got);
	if (!strstr(got, says) || !strstr(got, path))
		fail_msg("\"%s\" does not say \"%s\"", got, says);
	assert_int_equal(err.line, line);
}

static void keys(void **state)
{
	struct settings *s =
		good("[station]\nname = hall 3\ngroup = wheel\n"
		     "[erase]\nmethod = random\nverify = full\nverify-percent = 2\n"
		     "[queue]\nactive = 8\nreturn-within = 2h\n"
		     "[policy]\nunattended = yes\n"
		     "[hooks]\npre-erase = /bin/a\ntimeout = 5min\nuser = nobody\n"
		     "[metrics]\ntextfile = /x/y.prom\n");

	assert_string_equal(s->station, "hall 3");
	assert_string_equal(s->options, "method=random\nverify=full\nverify_percent=2\n");
	assert_int_equal(s->active, 8);
	assert_int_equal(s->return_seconds, 7200);
	assert_true(s->unattended);
	assert_int_equal(s->hook_seconds, 300);
	assert_string_equal(s->textfile, "/x/y.prom");
	settings_unref(s);
	s = good("");
	assert_false(s->unattended);
	assert_int_equal(s->n_bays, 0);
	settings_unref(s);
}

static void faults(void **state)
{
	bad("[station]\nnamed = x\n", "unknown key named; there are name, group", 2);
	bad("[stations]\nname = x\n",
	    "unknown section [stations]; there are station, erase, queue", 2);
	bad("name = x\n", "unknown section []", 1);
	bad("[queue]\nactive = many\n",
	    "[queue] active: 'many' is not a number of 0 to 100000", 2);
	bad("[queue]\nactive = 100001\n", "not a number of 0 to 100000", 2);
	bad("[queue a]\nactive = 1\n", "[queue] has no name", 2);
	bad("[temperature]\nwarn = 151\n", "neither off nor 1 to 150 degrees", 2);
	bad("[temperature]\nevery = 2d\n", "not a time of 1 to 86400 seconds", 2);
	bad("[bays]\nspin-up = 11min\n", "neither no nor a time", 2);
	bad("[health]\nfailing = no\n", "neither erase nor refuse", 2);
	bad("[policy]\nunattended = maybe\n", "neither no nor yes", 2);
	bad("[policy]\nunattended = YES\n", "neither no nor yes", 2);
	bad("[hooks]\npre-erase = relative\n", "not an absolute path", 2);
	bad("[hooks]\ntimeout = 0\n", "not a time of 1 to 3600 seconds", 2);
	bad("[erase]\nmethod = zero\nverify = perhaps\n", "verify", 3);
	bad("[erase]\nverify = perhaps\nmethod = zero\n", "perhaps", 2);
	bad("[erase]\nmethod = twice\n", "twice", 0);
	bad("[bay a]\nslot = 1:2\nmethod = twice\n", "twice", 0);
	bad("[erase]\nstate-file = /x\n", "no such option", 2);
	bad("[bay 1]\naction = erase\n", "needs slot=, phy= or address=", 0);
	bad("[bay 1]\nslot = a\n[bay 2]\naction = erase\nslot = a\n",
	    "[bay 2]: another bay is the same place", 0);
	bad("[bay 1]\nphy = a\n[bay 2]\naction = erase\nphy = a\n",
	    "another bay is the same place", 0);
	bad("[bay 1]\nslot = a\naction = burn\n", "none of none, offer, queue, erase", 3);
	bad("[bay ]\nslot = a\n", "a section is called [bay NAME]", 2);
	bad("[bay]\nslot = a\n", "a section is called [bay NAME]", 2);
	bad("[queue]\nnonsense\n", "neither [section] nor key = value", 2);
}

/* a file that others may write could have disks erased without a question */
static void trust(void **state)
{
	struct settings *s = NULL;
	struct dw_error err = { 0 };
	char text[DW_ERROR_TEXT];

	settings_unref(good("[policy]\nunattended = yes\n"));
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(settings_load(path, true, safety, &s, &err), -EPERM);
	assert_non_null(strstr(dw_error_text(&err, text), "chmod go-w"));
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(chown(path, 65534, 0), 0);
	assert_int_equal(settings_load(path, true, safety, &s, &err), -EPERM);
	assert_non_null(strstr(dw_error_text(&err, text), "another user"));
	assert_int_equal(chown(path, 0, 0), 0);
}

/* the rest of the line is not taken for another key */
static void long_line(void **state)
{
	char text[400];

	snprintf(text, sizeof(text), "[queue]\nactive = 1 ; %0182dactive = 7\n", 0);
	bad(text, "the line is too long", 2);
}

static void missing_file(void **state)
{
	struct settings *s = NULL;
	struct dw_error err = { 0 };

	assert_int_equal(settings_load("/nowhere/x.conf", false, safety, &s, &err), 0);
	settings_unref(s);
	assert_true(settings_load("/nowhere/x.conf", true, safety, &s, &err) < 0);
}

static const char *bay_name(const struct settings *s, const char *slot, uint32_t target)
{
	struct dw_disk_info i = { .scsi = true, .host = 1, .target = target };
	const struct bay *b;

	snprintf(i.slot, sizeof(i.slot), "%s", slot);
	b = settings_bay(s, &i);
	return b ? b->name : "none";
}

static void bays(void **state)
{
	struct settings *s =
		good("[bay left]\nslot = 0x5000:3\naction = erase\nmethod = random\n"
		     "[bay right]\naddress = 1:0:7:0\n"
		     "[bay both]\nslot = 0x6000:*\naddress = 1:0:9:0\naction = queue\n");

	assert_int_equal(s->n_bays, 3);
	assert_string_equal(bay_name(s, "0x5000:3", 0), "left");
	assert_string_equal(bay_name(s, "0x5000:33", 0), "none");
	assert_string_equal(bay_name(s, "", 7), "right");
	assert_string_equal(bay_name(s, "", 17), "none");
	assert_string_equal(bay_name(s, "0x6000:1", 9), "both");
	assert_string_equal(bay_name(s, "0x6000:1", 8), "none");
	assert_string_equal(bay_name(s, "", 9), "none"); /* its slot is not known */
	assert_int_equal(s->bay[1].action, BAY_OFFER);   /* unless it is said otherwise */
	assert_string_equal(s->bay[0].options, "method=random\n");
	settings_unref(s);
}

static const char *bay_of_phy(const struct settings *s, const char *phy, uint32_t target)
{
	struct dw_disk_info i = { .scsi = true, .host = 1, .target = target };
	const struct bay *b;

	snprintf(i.phy, sizeof(i.phy), "%s", phy);
	b = settings_bay(s, &i);
	return b ? b->name : "none";
}

static void phys(void **state)
{
	struct settings *s = good("[bay both]\nphy = *:[0-3]\naddress = 1:0:9:0\n"
				  "[bay 3]\nphy = 0x500605b000000001:3\n"
				  "[bay any]\nphy = *:4\n");

	assert_string_equal(bay_of_phy(s, "0x500605b000000001:3", 0), "3");
	assert_string_equal(bay_of_phy(s, "0x500605b000000001:3", 9), "both");
	assert_string_equal(bay_of_phy(s, "0x500605b000000002:3", 0), "none");
	assert_string_equal(bay_of_phy(s, "0x500605b000000001:33", 9), "none");
	assert_string_equal(bay_of_phy(s, "0x500605b000000002:4", 0), "any");
	assert_string_equal(bay_of_phy(s, "0x500605b000000002:14", 0), "none");
	assert_string_equal(bay_of_phy(s, "", 9), "none"); /* its phy is not known */
	settings_unref(s);
}

/* what the library may have one day */
const struct dw_field *__real_dw_spec_find(const char *key);
const struct dw_field *__wrap_dw_spec_find(const char *key);

const struct dw_field *__wrap_dw_spec_find(const char *key)
{
	static const struct dw_field novel =
		DW_FIELD(NUMBER, struct dw_job_spec, depth, .min = 1, .max = 32);

	return strcmp(key, "novel") ? __real_dw_spec_find(key) : &novel;
}

/* nobody has thought about what a caller could do with it */
static void novel_option(void **state)
{
	struct dw_job_spec spec;
	struct dw_error err;

	dw_job_spec_init(&spec);
	assert_int_equal(spec_option(&spec, "novel", "4", &err), -EINVAL);
	assert_int_equal(spec.depth, 0);
	bad("[erase]\nnovel = 4\n", "no such option", 2);
}

static void options(void **state)
{
	static const char *const kept[] = { "state_file",  "key_file", "trace_file",
					    "resume_file", "rules",    "active",
					    "mirror",      "seed",     "background",
					    "verify_only", "hidden",   "nothing" };
	struct dw_job_spec spec;
	struct dw_error err;

	dw_job_spec_init(&spec);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		assert_int_equal(spec_option(&spec, kept[i], "1", &err), -EINVAL);
	for (size_t i = 0; dw_spec_field(i); i++)
		assert_false(dw_spec_field(i)->offered && dw_spec_field(i)->one_run);
	assert_int_equal(spec_option(&spec, "depth", "33", &err), -EINVAL);
	assert_int_equal(spec_option(&spec, "depth", "4", &err), 0);
	assert_int_equal(spec.depth, 4);
	assert_int_equal(spec_option(&spec, "write_cache", "keep", &err), 0);
	assert_int_equal(spec.write_cache, DW_WRITE_CACHE_KEEP);
	assert_int_equal(spec_option(&spec, "reserve", "true", &err), 0);
	assert_true(spec.reserve);
	assert_int_equal(spec_option(&spec, "reserve", "yes", &err), -EINVAL);
	assert_int_equal(spec_options(&spec, "command=write\nverify=off\n", &err), 0);
	assert_int_equal(spec.command, DW_COMMAND_WRITE);
	assert_int_equal(spec_options(&spec, "command", &err), -EINVAL);
	assert_int_equal(spec_options(&spec, "method=zero\nactive=3\n", &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),         cmocka_unit_test(faults),
		cmocka_unit_test(missing_file), cmocka_unit_test(bays),
		cmocka_unit_test(phys),         cmocka_unit_test(options),
		cmocka_unit_test(trust),        cmocka_unit_test(long_line),
		cmocka_unit_test(novel_option),
	};
	int r;

	close(mkstemp(path));
	close(mkstemp(safety));
	r = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	unlink(safety);
	return r;
}
