/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TEST_USERS_H
#define DW_TEST_USERS_H

/* What a made-up machine says of the users of a disk. */
#include "judge/inuse.h"
#include "device/node.h"
#include "judge/verdict.h"
#include "machine.h"
#include "unit.h"

/** judge() - the verdict on the disk of a block number; whether it is refused. */
static inline int judge(struct machine *t, dev_t dev, struct dw_verdict *v)
{
	struct dw_uses uses = { 0 };
	struct dw_disk_info info;
	enum dw_node_kind kind;
	int r;

	*v = (struct dw_verdict){ 0 };
	assert_int_equal(0, dw_node_resolve(&t->m, true, dev, &info, &kind));
	assert_int_equal(0, dw_uses_scan(&t->m, &uses));
	r = dw_inuse_judge(&t->m, &uses, &info, v);
	dw_uses_free(&uses);
	assert_int_equal(r, v->refusal != DW_REFUSAL_NONE);
	return r;
}

/** expect_verdict() - that is the verdict, word for word. */
static inline void expect_verdict(struct machine *t, dev_t dev, enum dw_refusal refusal,
				  const char *reason, const char *release)
{
	struct dw_verdict v;

	judge(t, dev, &v);
	assert_string_equal(dw_refusal_name(refusal), dw_refusal_name(v.refusal));
	assert_string_equal(reason, v.reason);
	assert_string_equal(release, v.release);
}

/** snapshot() - all users of the machine; dw_uses_free(). */
static inline void snapshot(struct machine *t, struct dw_uses *ret)
{
	*ret = (struct dw_uses){ 0 };
	assert_int_equal(0, dw_uses_scan(&t->m, ret));
}

#endif
