/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_PLANFILE_H
#define DW_REPORT_PLANFILE_H

/* What the plan file and the state file have in common. */
#include <diskwipe/planfile.h>

#include "report/record.h"

#define DW_DOC_DISKS_MAX 4096
#define DW_DOC_BYTES_MAX (64u << 20)

/** dw_plan_parse() - dw_plan_read() from memory; @err has the key. 0, -EINVAL, -ENOMEM. */
int dw_plan_parse(const char *text, size_t len, struct dw_plan_doc *ret_plan,
		  struct dw_error *err);

/** dw_spec_pack() - what the documents keep of a spec, without files, rules and what only concerns
 *  one run; a new reference. 0, -ERANGE, -ENOMEM. */
int dw_spec_pack(const struct dw_job_spec *spec, json_t **ret_object);

/** dw_spec_unpack() - the same back, what is not kept as zero; 0 or -EINVAL with @err. */
int dw_spec_unpack(const json_t *object, struct dw_job_spec *ret_spec,
		   struct dw_error *err);

/**
 * dw_document_pack() - a document of a job: kind, schema, tool, the job, and members
 * @kind: "plan", "state"
 * @spec: of the job
 * @field, @n, @base: its other members, as of dw_record_pack()
 * @ret_doc: a new reference, with keys in that order
 *
 * Return: 0, -ERANGE, -ENOMEM.
 */
int dw_document_pack(const char *kind, const struct dw_job_spec *spec,
		     const struct dw_field *field, size_t n, const void *base,
		     json_t **ret_doc);

/* Identity of a disk, of struct dw_plan_entry. */
#define DW_ENTRY_FIELDS 7
extern const struct dw_field dw_entry_fields[DW_ENTRY_FIELDS];

/** dw_entry_check() - what its table does not check; @where: its place, for @err. 0 or -EINVAL. */
int dw_entry_check(const struct dw_plan_entry *entry, const char *where,
		   struct dw_error *err);

/** dw_entries_check() - can each disk be recognised, and told from the others? 0; -EINVAL: one has
 *  neither serial nor WWN, or two are alike. */
int dw_entries_check(const struct dw_plan_entry *entry, size_t n, struct dw_error *err);

#endif
