/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From words "key=value" to checked numbers. The keys that are given narrow down the forms
 * that can be meant; of those left, the first that misses nothing is the form. So every
 * contradiction names two keys, and every omission the key that is missing.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "papers/call.h"

#define MOST_NUMBERS 1000000

int dw_call_fail(struct dw_model_call *call, const char *format, ...)
{
	va_list args;
	int n = snprintf(call->error, sizeof(call->error), "%s: ", call->model->name);

	va_start(args, format);
	vsnprintf(call->error + n, sizeof(call->error) - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

static int find_key(const struct dw_model *m, const char *name, size_t len)
{
	for (size_t i = 0; i < m->n_keys; i++)
		if (strlen(m->keys[i].name) == len && !memcmp(m->keys[i].name, name, len))
			return (int)i;
	return -1;
}

static uint32_t forms_of(const struct dw_model_key *k)
{
	return k->forms ? k->forms : UINT32_MAX;
}

static int check_range(struct dw_model_call *call, const struct dw_model_key *k, double x)
{
	if (k->kind == DW_MODEL_FLAG && x != 0 && x != 1)
		return dw_call_fail(call, "%s is 0 or 1, not %.9g", k->name, x);
	if (k->kind == DW_MODEL_WHOLE && x != floor(x))
		return dw_call_fail(call, "%s is a whole number, not %.9g", k->name, x);
	if (x < k->min || (k->above && x <= k->min))
		return dw_call_fail(call, "%s must be %s %.9g%s%s, not %.9g", k->name,
				    k->above ? "above" : "at least", k->min,
				    *k->unit ? " " : "", k->unit, x);
	if (k->max && (x > k->max || (k->below && x >= k->max)))
		return dw_call_fail(call, "%s must be %s %.9g%s%s, not %.9g", k->name,
				    k->below ? "below" : "at most", k->max,
				    *k->unit ? " " : "", k->unit, x);
	return 0;
}

static const char *skip(const char *s)
{
	return s + strspn(s, " \t");
}

/* "TB", "KiB/s" after a number of bytes; moves on past it. */
static int take_suffix(struct dw_model_call *call, const struct dw_model_key *k,
		       const char **s, double *x)
{
	size_t len = strcspn(*s, "/,] \t");
	uint64_t factor;
	char one[16];

	if (!len)
		return 0;
	snprintf(one, sizeof(one), "1%.*s", (int)len, *s);
	if (len > 5 || dw_size_parse(one, &factor) < 0)
		return dw_call_fail(call, "%s: '%.40s' after its value", k->name, *s);
	*x *= (double)factor;
	*s += len;
	if (!strncmp(*s, "/s", 2) && !strcmp(k->unit, "bytes/s"))
		*s += 2;
	return 0;
}

/* One number; moves on past it. */
static int take_number(struct dw_model_call *call, const struct dw_model_key *k,
		       const char **s, double *ret)
{
	size_t len = strspn(*s, "+-.0123456789eE");
	char *end;
	double x;

	x = strtod(*s, &end);
	if (!len || end != *s + len || !isfinite(x))
		return dw_call_fail(call, "%s: '%.40s' is no number", k->name, *s);
	*s = end;
	if (!strncmp(k->unit, "bytes", 5) && take_suffix(call, k, s, &x))
		return -EINVAL;
	*ret = x;
	return check_range(call, k, x);
}

static int append_number(struct dw_model_value *v, size_t *n, double x)
{
	if (!(*n & (*n - 1))) {
		double *more = realloc(v->v, (*n ? 2 * *n : 1) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		v->v = more;
	}
	v->v[(*n)++] = x;
	return 0;
}

/* "[1, 2, 3]", appended to the @n values that are there. */
static int take_row(struct dw_model_call *call, const struct dw_model_key *k,
		    struct dw_model_value *v, const char **s, size_t *n)
{
	double x = 0;
	int r;

	if (**s != '[')
		return dw_call_fail(call, "%s: '%.40s' is no list like [1,2,3]", k->name,
				    *s);
	do {
		*s = skip(*s + 1);
		r = take_number(call, k, s, &x);
		if (!r)
			r = append_number(v, n, x);
		if (r)
			return r;
		*s = skip(*s);
	} while (**s == ',' && *n < MOST_NUMBERS);
	if (**s != ']')
		return dw_call_fail(call, "%s: the list does not end with ]", k->name);
	*s = skip(*s + 1);
	return 0;
}

static int take_matrix(struct dw_model_call *call, const struct dw_model_key *k,
		       struct dw_model_value *v, const char **s)
{
	size_t n = 0;
	int r;

	if (**s != '[')
		return dw_call_fail(call, "%s: '%.40s' is no matrix like [[1,2],[3,4]]",
				    k->name, *s);
	v->rows = 0;
	do {
		size_t before = n;

		*s = skip(*s + 1);
		r = take_row(call, k, v, s, &n);
		if (r)
			return r;
		if (v->rows++ && n - before != v->n)
			return dw_call_fail(call, "%s: its rows differ in length",
					    k->name);
		v->n = n - before;
	} while (**s == ',');
	if (**s != ']')
		return dw_call_fail(call, "%s: the matrix does not end with ]", k->name);
	*s = skip(*s + 1);
	return 0;
}

/* Place of the word in "a|b|c", -1 when it is not there. */
static int find_word(const char *words, const char *text)
{
	size_t len = strlen(text);
	int place = 0;

	for (;; place++) {
		size_t n = strcspn(words, "|");

		if (n == len && !memcmp(words, text, n))
			return place;
		if (!words[n])
			return -1;
		words += n + 1;
	}
}

static int take_word(struct dw_model_call *call, const struct dw_model_key *k,
		     struct dw_model_value *v, const char *text)
{
	size_t n = 0, len = strlen(text) + 1;
	int place = k->kind == DW_MODEL_WORD ? find_word(k->words, text) : 0;

	if (place < 0)
		return dw_call_fail(call, "%s is %s, not '%.40s'", k->name, k->words,
				    text);
	if (len == 1)
		return dw_call_fail(call, "%s has no value", k->name);
	v->word = malloc(len);
	if (!v->word)
		return -ENOMEM;
	memcpy(v->word, text, len);
	v->scalar = true;
	return append_number(v, &n, place);
}

static int take_value(struct dw_model_call *call, size_t i, const char *text)
{
	const struct dw_model_key *k = &call->model->keys[i];
	struct dw_model_value *v = &call->value[i];
	const char *s = skip(text);
	double x = 0;
	int r;

	if (k->kind == DW_MODEL_WORD || k->kind == DW_MODEL_FILE) {
		r = take_word(call, k, v, text);
		s = "";
	} else if (k->kind == DW_MODEL_MATRIX) {
		r = take_matrix(call, k, v, &s);
	} else if (k->kind == DW_MODEL_ARRAY || (k->kind == DW_MODEL_EACH && *s == '[')) {
		r = take_row(call, k, v, &s, &v->n);
	} else {
		v->scalar = true;
		r = take_number(call, k, &s, &x);
		if (!r)
			r = append_number(v, &v->n, x);
		s = skip(s);
	}
	if (!r && *s)
		r = dw_call_fail(call, "%s: '%.40s' after its value", k->name, s);
	v->set = !r;
	return r;
}

int dw_model_call_set(struct dw_model_call *call, const char *word)
{
	size_t len = strcspn(word, "=");
	int i = find_key(call->model, word, len);

	if (!word[len])
		return dw_call_fail(call, "'%.40s' is not of the form key=value", word);
	if (i < 0)
		return dw_call_fail(call, "there is no key '%.*s'",
				    (int)dw_min_u64(len, 40), word);
	if (call->value[i].given)
		return dw_call_fail(call, "%s is given twice", call->model->keys[i].name);
	call->value[i].given = true;
	return take_value(call, (size_t)i, word + len + 1);
}

/* Two keys that no form has together: the last given one and the first it excludes. */
static int complain_foreign(struct dw_model_call *call, size_t last)
{
	const struct dw_model *m = call->model;

	for (size_t i = 0; i < m->n_keys; i++)
		if (call->value[i].given &&
		    !(forms_of(&m->keys[i]) & forms_of(&m->keys[last])))
			return dw_call_fail(call, "%s and %s do not go together",
					    m->keys[i].name, m->keys[last].name);
	return dw_call_fail(call, "%s is a key of another form", m->keys[last].name);
}

/* Key that the form misses, -1 if none. */
static int missing(const struct dw_model_call *call, unsigned form)
{
	for (size_t i = 0; i < call->model->n_keys; i++)
		if (call->model->keys[i].needed & 1u << form && !call->value[i].given)
			return (int)i;
	return -1;
}

static unsigned count_missing(const struct dw_model_call *call, unsigned form)
{
	unsigned n = 0;

	for (size_t i = 0; i < call->model->n_keys; i++)
		n += call->model->keys[i].needed & 1u << form && !call->value[i].given;
	return n;
}

static int pick_form(struct dw_model_call *call)
{
	const struct dw_model *m = call->model;
	unsigned n = 0, least = DW_MODEL_KEYS + 1;
	uint32_t can;

	while (m->forms[n])
		n++;
	can = n ? (1u << n) - 1 : 1;
	for (size_t i = 0; i < m->n_keys; i++) {
		if (!call->value[i].given)
			continue;
		can &= forms_of(&m->keys[i]);
		if (!can)
			return complain_foreign(call, i);
	}
	for (unsigned f = 0; f < 32; f++) {
		if (can & 1u << f && count_missing(call, f) < least) {
			least = count_missing(call, f);
			call->form = f;
		}
	}
	if (!least)
		return 0;
	return dw_call_fail(call, "%s is missing",
			    m->keys[missing(call, call->form)].name);
}

int dw_call_settle(struct dw_model_call *call)
{
	int r = pick_form(call);

	for (size_t i = 0; !r && i < call->model->n_keys; i++) {
		const struct dw_model_key *k = &call->model->keys[i];

		if (!call->value[i].set && k->fallback && forms_of(k) & 1u << call->form)
			r = take_value(call, i, k->fallback);
	}
	return r;
}

static const struct dw_model_value *value_of_key(const struct dw_model_call *call,
						 const char *key)
{
	int i = find_key(call->model, key, strlen(key));

	if (i < 0)
		abort();
	return &call->value[i];
}

bool dw_call_has(const struct dw_model_call *call, const char *key)
{
	return value_of_key(call, key)->set;
}

double dw_call_number(const struct dw_model_call *call, const char *key)
{
	const struct dw_model_value *v = value_of_key(call, key);

	return v->set ? v->v[0] : 0;
}

int dw_call_word(const struct dw_model_call *call, const char *key)
{
	return (int)dw_call_number(call, key);
}

const char *dw_call_text(const struct dw_model_call *call, const char *key)
{
	return value_of_key(call, key)->text;
}

const double *dw_call_array(const struct dw_model_call *call, const char *key,
			    size_t *ret_rows, size_t *ret_n)
{
	const struct dw_model_value *v = value_of_key(call, key);

	if (ret_rows)
		*ret_rows = v->rows;
	*ret_n = v->n;
	return v->v;
}

double dw_call_each(const struct dw_model_call *call, const char *key, size_t i)
{
	const struct dw_model_value *v = value_of_key(call, key);

	return v->v[v->scalar ? 0 : i];
}

int dw_call_each_fits(struct dw_model_call *call, const char *key, size_t n)
{
	const struct dw_model_value *v = value_of_key(call, key);

	if (v->scalar || v->n == n)
		return 0;
	return dw_call_fail(call, "%s has %zu values where %zu are wanted", key, v->n, n);
}

const char *dw_model_call_file(const struct dw_model_call *call, size_t i)
{
	for (size_t k = 0; k < call->model->n_keys; k++)
		if (call->model->keys[k].kind == DW_MODEL_FILE && call->value[k].set &&
		    !i--)
			return call->value[k].word;
	return NULL;
}

int dw_model_call_text(struct dw_model_call *call, const char *file, const char *text)
{
	size_t len = strlen(text) + 1;

	for (size_t k = 0; k < call->model->n_keys; k++) {
		struct dw_model_value *v = &call->value[k];

		if (call->model->keys[k].kind != DW_MODEL_FILE || !v->set ||
		    strcmp(v->word, file))
			continue;
		free(v->text);
		v->text = malloc(len);
		if (!v->text)
			return -ENOMEM;
		memcpy(v->text, text, len);
		return 0;
	}
	return -ENOENT;
}
