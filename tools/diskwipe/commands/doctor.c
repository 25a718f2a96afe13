/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe doctor: what keeps the machine from erasing disks, or from doing it fast. */
#include <stdlib.h>
#include <string.h>

#include <diskwipe/doctor.h>

#include "client/doctor.h"
#include "output/out.h"
#include "own.h"

static void report(const struct dw_finding *f)
{
	printf("%s%s%s\n    %s\n", f->subject, f->subject[0] ? ": " : "", f->text,
	       f->advice);
}

/* The library knows nothing of the service. */
static void look_at_service(struct dw_finding **findings, size_t *n)
{
	struct dw_finding f, *all;

	if (!cli_client_doctor(&f))
		return;
	all = cli_allocate(*n + 1, sizeof(*all));
	if (*n)
		memcpy(all, *findings, *n * sizeof(*all));
	all[(*n)++] = f;
	free(*findings);
	*findings = all;
}

int cli_verb_doctor(struct cli *c)
{
	const struct cli_doctor_options *own = c->own;
	struct dw_finding *findings = NULL;
	size_t n = 0;
	int r;

	if (c->n_operands)
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"doctor: '%s': it takes no device, it looks at the machine",
			c->operand[0]);
	if (own->fix) {
		r = cli_client_fix(c);
		if (r)
			return r;
	}
	r = dw_doctor(&findings, &n);
	if (r < 0)
		return cli_fail(c, CLI_EXIT_USAGE, "the machine cannot be looked at: %s",
				strerror(-r));
	look_at_service(&findings, &n);
	r = 0;
	if (c->show.json) {
		r = cli_out_text(c, dw_doctor_json(findings, n));
		c->documented = true;
	} else {
		for (size_t i = 0; i < n; i++)
			report(&findings[i]);
		if (!n)
			puts("nothing found");
	}
	free(findings);
	return r ? r : n ? CLI_EXIT_USAGE : 0;
}
