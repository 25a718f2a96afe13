/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of a job in the background as text, and the forecast of the model for them. */
#include <errno.h>
#include <string.h>

#include "diskwipe/units.h"
#include "engine/background.h"
#include "sched/share.h"

int dw_background_parse(const char *text, struct dw_background *ret)
{
	const char *colon = strchr(text, ':');
	double percent;

	ret->kind = DW_BACKGROUND_OFF;
	if (!strcmp(text, "off"))
		return 0;
	if (!colon)
		return -EINVAL;
	if (!strncmp(text, "share:", 6)) {
		if (dw_percent_parse(colon + 1, &percent) < 0)
			return -EINVAL;
		ret->kind = DW_BACKGROUND_SHARE;
		ret->share = percent / 100;
		return 0;
	}
	if (strncmp(text, "keep-response:", 14) != 0 ||
	    dw_duration_parse(colon + 1, &ret->response_ns) < 0 || !ret->response_ns)
		return -EINVAL;
	ret->kind = DW_BACKGROUND_RESPONSE;
	return 0;
}

/* Times separated by a slash; ".157" is seconds. */
static int parse_demands(char *text, struct dw_background *ret)
{
	char *save, *item;

	ret->n_demands = 0;
	for (item = strtok_r(text, "/", &save); item; item = strtok_r(NULL, "/", &save)) {
		uint64_t *to = &ret->demand_ns[ret->n_demands];

		if (ret->n_demands == DW_BACKGROUND_DEMANDS ||
		    dw_duration_parse(item, to) < 0 || !*to)
			return -EINVAL;
		ret->n_demands++;
	}
	return ret->n_demands ? 0 : -EINVAL;
}

static int parse_users(const char *text, struct dw_background *ret)
{
	uint64_t n;

	if (dw_number_parse(text, &n) < 0 || !n || n > DW_BACKGROUND_USERS)
		return -EINVAL;
	ret->users = (uint32_t)n;
	return 0;
}

int dw_others_parse(const char *text, struct dw_background *ret)
{
	struct dw_background b = *ret;
	char copy[256], *save, *item;
	bool think = false;

	b.users = b.n_demands = 0;
	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	for (item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		int r = -EINVAL;

		if (!strncmp(item, "users:", 6) && !b.users) {
			r = parse_users(item + 6, &b);
		} else if (!strncmp(item, "think:", 6) && !think) {
			r = dw_duration_parse(item + 6, &b.think_ns);
			think = true;
		} else if (!strncmp(item, "demands:", 8) && !b.n_demands) {
			r = parse_demands(item + 8, &b);
		}
		if (r < 0)
			return -EINVAL;
	}
	if (!b.users || !think || !b.n_demands)
		return -EINVAL;
	*ret = b;
	return 0;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

void job_background_forecast(const struct dw_closed_beside *b, double target,
			     double share, struct dw_background_forecast *ret)
{
	double inside;

	if (target > 0)
		share = dw_closed_share(b, target, DW_SHARE_MOST);
	inside = share < DW_SHARE_MOST ? share : DW_SHARE_MOST;
	*ret = (struct dw_background_forecast){ .share = share };
	ret->response = dw_closed_beside(b, inside, &ret->response_io);
	ret->response_before = dw_closed_beside(b, 0, &ret->response_io_before);
	ret->knee = dw_closed_knee(b, inside);
	ret->knee_before = dw_closed_knee(b, 0);
}

bool job_background_given(const struct dw_background *b, struct dw_closed_beside *ret)
{
	*ret = (struct dw_closed_beside){ .n = b->users,
					  .think = seconds(b->think_ns),
					  .k = b->n_demands };
	for (uint32_t i = 0; i < b->n_demands; i++)
		ret->demand[i] = seconds(b->demand_ns[i]);
	return b->users > 0;
}

bool dw_background_forecast(const struct dw_background *b,
			    struct dw_background_forecast *ret)
{
	struct dw_closed_beside beside;

	if (!job_background_given(b, &beside))
		return false;
	job_background_forecast(
		&beside, b->kind == DW_BACKGROUND_RESPONSE ? seconds(b->response_ns) : 0,
		b->share, ret);
	return true;
}
