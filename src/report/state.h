/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_STATE_H
#define DW_REPORT_STATE_H

/*
 * The resume state of a job: for each disk, by its identity, how far the medium is known to
 * be written. Written whole and atomically at each flush; a damaged file is refused, never
 * half believed (a checksum of the rest stands in it).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "diskwipe/job.h"
#include "diskwipe/planfile.h"

/**
 * struct dw_state_entry - one disk
 * @disk: who it is
 * @name_shared: @disk is no name, as another disk here says the same: nothing can resume it
 * @pass, @lba: everything of the passes before, and below position @lba of this one, is on the
 *	medium
 * @order: in which each pass sweeps it, where its actuators take turns (dw_order_text())
 * @operating: the disk was told to do pass @pass by itself, and its end is not confirmed
 * @power_cycle: it is written up to @pass and @lba, but nothing flushes its cache: it is to be
 *	unplugged, and then verified
 * @planted, @plant_seed: pass @pass is written, but for plants of that seed (dw_plants_draw()) that
 *	may be there; @lba lies below them, so that who does not know these writes them, too
 * @method: by which it is erased, of a job whose method chooses that; else empty
 * @longest: blocks of a transfer; longer ones got no answer; 0 = that is not known
 * @bytes_written: in all runs so far
 * @outcome: DW_OUTCOME_NONE or DW_OUTCOME_STOPPED: to be continued
 * @fault, @n_faults: known so far; owned
 * @witness: what blocks held before the disk erased itself (dw_witness_text()); owned, NULL = it
 *	has not begun, or that is not known
 * @result: of a disk that has ended, what came of it (dw_disk_result_text()); owned, NULL = it has
 *	not, or that is not known
 */
struct dw_state_entry {
	struct dw_plan_entry disk;
	bool name_shared;
	uint32_t pass;
	uint64_t lba;
	char order[DW_ORDER_TEXT];
	bool operating;
	bool power_cycle;
	bool planted;
	uint64_t plant_seed;
	char method[32];
	uint32_t longest;
	uint64_t bytes_written;
	enum dw_outcome outcome;
	struct dw_fault *fault;
	uint32_t n_faults;
	char *witness;
	char *result;
};

/**
 * struct dw_state_doc - the document
 * @spec: the job's; files and rules are not stored
 * @key_check: of the job's key, empty when there is none
 * @simulation: empty, or how disks were simulated (dw_job_result.simulation): no real disk resumes
 *	that, and no simulated one with what real disks were
 * @entry, @n: one for each disk; owned
 */
struct dw_state_doc {
	struct dw_job_spec spec;
	char key_check[17];
	char simulation[16];
	struct dw_state_entry *entry;
	size_t n;
};

/** dw_state_write() - replace the state file, atomically and durably; readable by its owner only.
 *  Disks may lack an identity, but cannot be resumed then. 0; -ERANGE (dw_state_read() would
 *  refuse it), -EINVAL (no regular file), or another negative errno: the old file stands. */
int dw_state_write(const char *path, const struct dw_state_doc *doc);

/** dw_state_read() - strict. @ret_state: dw_state_deinit(), not written on error. 0; -EINVAL (no
 *  state, or damaged) or another negative errno. */
int dw_state_read(const char *path, struct dw_state_doc *ret_doc, struct dw_error *err);

/** dw_state_parse() - dw_state_read() from memory; @err has the key. 0, -EINVAL, -ENOMEM. */
int dw_state_parse(const char *text, size_t len, struct dw_state_doc *ret_doc,
		   struct dw_error *err);

/** dw_state_unfinished() - whether the job resumes the disk when it is resumed. */
bool dw_state_unfinished(const struct dw_state_entry *e);

/** dw_state_nameless() - whether nothing tells the disk from others, so that no job can continue
 *  with it. */
bool dw_state_nameless(const struct dw_state_entry *e);

/** dw_state_copy() - an entry with what it owns; 0, -ENOMEM: then @ret owns a part. */
int dw_state_copy(const struct dw_state_entry *e, struct dw_state_entry *ret);

/** dw_state_deinit() - free what a read document owns. */
void dw_state_deinit(struct dw_state_doc *doc);

#endif
