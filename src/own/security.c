/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SECURITY ERASE UNIT with its password. Between setting the password and the end of the erase
 * the power may be cut, the program killed, the disk pulled, or an answer lost. So the disk is
 * entered in a file, durably, before the password is sent. The entry is removed only when the
 * disk itself reports that no password is set. That is the proof of the erase as well: of the
 * commands here only DISABLE PASSWORD, and an ERASE UNIT that ended well, clear it.
 *
 * A command that changes something is sent once. If it met a unit attention it was not carried
 * out: the disk is identified, and it is sent again. Nothing may be asked between ERASE PREPARE
 * and ERASE UNIT, so after an attention there both are repeated.
 */
#include <diskwipe/identity.h>

#include "own/security.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "codec/encode.h"
#include "device/security.h"
#include "file/password.h"
#include "judge/verdict.h"
#include "own/claim.h"
#include "scsi/ata.h"
#include "scsi/opcodes.h"
#include "transport/guard.h"
#include "transport/meter.h"

#define SENDS_MAX 4
#define ORDER_MS  60000
#define ANSWERS_S 30 /* for a disk that was reset, until it reports its state */
#define PULL_IT   "pull it, plug it in again, and erase it again"
#define BY_HAND   "its password is \"" DW_ATA_PASSWORD "\""

/** struct password_command - one command, with its data and its result */
struct password_command {
	uint8_t list[DW_ATA_SECURITY_LEN];
	struct dw_cmd cmd;
	struct dw_completion done;
};

static uint32_t class_of(enum dw_ata_secure what)
{
	switch (what) {
	case DW_ATA_SECURE_ERASE:
		return DW_OPCLASS_ATA_NORMAL;
	case DW_ATA_SECURE_ENHANCED:
		return DW_OPCLASS_ATA_ENHANCED;
	default:
		return DW_OPCLASS_SECURITY;
	}
}

/* told as an error, though the disk's own registers say that it is none */
static bool is_outranked(const struct dw_completion *done)
{
	return !done->err && !done->host_status &&
	       done->status == DW_STATUS_CHECK_CONDITION &&
	       dw_ata_outranked(done->sense,
				dw_min_u64(done->sense_len, sizeof(done->sense)));
}

/* What counts at the end is what the disk says of its password, and its content. */
static bool ended_well(const struct dw_completion *done)
{
	if (is_outranked(done))
		return true;
	return dw_guard_good(done) &&
	       (done->status == DW_STATUS_GOOD ||
		dw_ata_ended(done->sense,
			     dw_min_u64(done->sense_len, sizeof(done->sense))) != -EIO);
}

static bool met_attention(const struct dw_completion *done)
{
	struct dw_sense s;

	return !done->err && !done->host_status &&
	       done->status == DW_STATUS_CHECK_CONDITION &&
	       !dw_sense_parse(done->sense,
			       dw_min_u64(done->sense_len, sizeof(done->sense)), &s) &&
	       s.key == DW_KEY_UNIT_ATTENTION;
}

/* The disk itself refused it; after any other error it may have been carried out. */
static bool was_refused(const struct dw_completion *done)
{
	struct dw_sense s;

	return !done->err && !done->host_status && !is_outranked(done) &&
	       done->status == DW_STATUS_CHECK_CONDITION &&
	       !dw_sense_parse(done->sense,
			       dw_min_u64(done->sense_len, sizeof(done->sense)), &s) &&
	       !s.deferred &&
	       (s.key == DW_KEY_ABORTED_COMMAND || s.key == DW_KEY_ILLEGAL_REQUEST);
}

static void fill_command(struct password_command *o, enum dw_ata_secure what,
			 uint32_t timeout)
{
	*o = (struct password_command){ .cmd = { .timeout_ms = timeout } };
	o->cmd.cdb_len = (uint8_t)dw_cdb_ata_secure(o->cmd.cdb, what);
	o->cmd.data_len = (uint32_t)dw_ata_secure_list(what, o->list);
	o->cmd.data = o->cmd.data_len ? o->list : NULL;
	o->cmd.dir = o->cmd.data_len ? DW_DIR_OUT : DW_DIR_NONE;
}

/* Sends the command with a permit for its class alone, for as long as it lasts. */
static void send_once(struct dw_device *d, enum dw_ata_secure what,
		      struct password_command *o)
{
	uint32_t class = class_of(what);

	d->permit.granted = class;
	if (dw_device_command(d, class, &o->cmd, &o->done))
		o->done = (struct dw_completion){ .cmd = &o->cmd, .err = -EPERM };
	d->permit.granted = 0;
}

/* 0 done; 1 see @o; -ESTALE another disk answers, and was sent nothing. */
static int order_secure(struct dw_device *d, enum dw_ata_secure what,
			struct password_command *o)
{
	int r;

	fill_command(o, what, ORDER_MS);
	for (int i = 0; i < SENDS_MAX; i++) {
		r = dw_device_names(d);
		if (r == 1)
			return -ESTALE;
		if (r) {
			o->done = (struct dw_completion){ .cmd = &o->cmd, .err = r };
			return 1;
		}
		send_once(d, what, o);
		if (!met_attention(&o->done))
			break;
	}
	return ended_well(&o->done) ? 0 : 1;
}

/* Reads the security state; a disk that was reset needs a moment. Errors as
 * dw_device_ask_security(). */
static int ask_state(struct dw_device *d)
{
	const struct timespec nap = { .tv_sec = 1 };
	int r;

	for (int i = 0; (r = dw_device_ask_security(d)) && i < ANSWERS_S; i++) {
		if (r == -ENODEV || r == -ENXIO)
			break;
		nanosleep(&nap, NULL);
	}
	return r;
}

/* Removes the entry; if that fails it does no harm. */
static void forget(struct dw_device *d)
{
	dw_password_forget(&d->info);
}

/*
 * Clears our password, if it is set. 0 none is set any more; 1 it cannot be cleared, @why says
 * so; negative: the disk does not answer.
 */
static int clear_password(struct dw_device *d, const char **why)
{
	const struct dw_ata_security *s = &d->caps.self.security;
	struct password_command o;
	int r = ask_state(d);

	if (r)
		return -EIO;
	*why = "it does not take its password; " BY_HAND;
	if (s->enabled && s->frozen)
		*why = "it has our password and is frozen until power is off: " PULL_IT;
	else if (s->locked && s->expired)
		*why = "it is locked, and takes no password until power is off: " PULL_IT;
	else if ((s->locked && order_secure(d, DW_ATA_SECURE_UNLOCK, &o) == -ESTALE) ||
		 (s->enabled && order_secure(d, DW_ATA_SECURE_DISABLE, &o) == -ESTALE))
		return -EIO;
	r = ask_state(d);
	if (r)
		return -EIO;
	if (s->enabled)
		return 1;
	forget(d);
	return 0;
}

__attribute__((format(printf, 3, 4))) static void
end_with(struct dw_security_end *e, enum dw_secured how, const char *fmt, ...)
{
	va_list ap;

	e->how = (uint8_t)how;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
}

/* Ends without an erase, for the reason @what, and clears the password. */
static void end_cleared(struct dw_device *d, struct dw_security_end *e,
			enum dw_secured how, const char *what)
{
	const char *why = "";
	int r = clear_password(d, &why);

	if (r < 0)
		end_with(e, how == DW_SECURED_CUT_OFF ? DW_SECURED_GONE : how,
			 "%s; it may have our password, which is on record and cleared "
			 "when it is erased again",
			 what);
	else if (r)
		end_with(e, how, "%s; %s", what, why);
	else
		end_with(e, how, "%s; no password is left", what);
}

static void end_stranger(struct dw_device *d, struct dw_security_end *e)
{
	d->stranger = e->stranger = true;
	end_with(e, DW_SECURED_REFUSED, DW_ANOTHER_DISK "; no command was sent to it");
}

/* Conditions for setting a password, as the disk reports them. */
static const char *not_now(const struct dw_ata_security *s)
{
	if (!s->supported)
		return "it does not know SECURITY ERASE UNIT any more";
	if (s->frozen)
		return "its security is frozen until power is off: " PULL_IT
		       ", or sanitize it";
	if (s->enabled || s->locked)
		return "it has a password that is none of ours";
	return s->expired ? "it takes no password until power is off: " PULL_IT : NULL;
}

/* Enters the password in the file, sets it, and checks that the disk reports it. False: all is
 * ended. */
static bool set_password(struct dw_device *d, struct dw_security_end *e)
{
	struct password_command o;
	const char *why;
	int r = dw_device_identity(d);

	if (r > 0) {
		end_stranger(d, e);
		return false;
	}
	r = r ? r : ask_state(d);
	if (!r && d->caps.self.security.enabled && dw_password_known(&d->info) &&
	    clear_password(d, &why) > 0) {
		end_with(e, DW_SECURED_REFUSED, "%s", why);
		return false;
	}
	why = r ? "it does not say whether it has a password"
		: not_now(&d->caps.self.security);
	if (why) {
		end_with(e,
			 r == -ENODEV || r == -ENXIO ? DW_SECURED_GONE
						     : DW_SECURED_REFUSED,
			 "%s; nothing was changed", why);
		return false;
	}
	r = dw_password_store(&d->info);
	if (r) {
		end_with(e, DW_SECURED_REFUSED,
			 "its password cannot be put on record in " DW_PASSWORD_FOLDER
			 ": %s; none was set",
			 strerror(-r));
		return false;
	}
	r = order_secure(d, DW_ATA_SECURE_SET, &o);
	if (r == -ESTALE) {
		forget(d);
		end_stranger(d, e);
	} else if (r) {
		end_cleared(d, e, DW_SECURED_REFUSED,
			    was_refused(&o.done)
				    ? "the disk refused SECURITY SET PASSWORD"
				    : "SECURITY SET PASSWORD got no good answer");
	} else if (ask_state(d) || !d->caps.self.security.enabled) {
		r = 1; /* then its absence at the end would prove nothing */
		end_cleared(d, e, DW_SECURED_REFUSED,
			    "it took a password, and does not say that it has one");
	}
	return !r;
}

/* Sends ERASE UNIT directly after ERASE PREPARE. False: it was not sent, and all is ended. */
static bool send_erase(struct dw_device *d, enum dw_ata_secure what, uint32_t timeout,
		       struct dw_security_end *e, struct password_command *o)
{
	struct password_command prepare;

	for (int i = 0; i < SENDS_MAX; i++) {
		int r = order_secure(d, DW_ATA_SECURE_PREPARE, &prepare);

		if (r == -ESTALE) {
			end_stranger(d, e);
			return false;
		}
		if (r) {
			end_cleared(d, e, DW_SECURED_REFUSED,
				    "the disk refused SECURITY ERASE PREPARE");
			return false;
		}
		fill_command(o, what, timeout);
		e->begun_ns = dw_clock_ns();
		send_once(d, what, o);
		e->ended_ns = dw_clock_ns();
		e->sent = true;
		if (!met_attention(&o->done))
			break;
	}
	return true;
}

/* With or without an answer: what counts is whether a password is set. */
static void judge_end(struct dw_device *d, const struct dw_completion *done,
		      struct dw_security_end *e)
{
	bool well = ended_well(done), refused = was_refused(done);
	int r;

	if (done->err == -ENODEV || done->err == -ENXIO) {
		end_with(e, DW_SECURED_GONE, "removed while it erased itself");
		return;
	}
	r = dw_device_names(d);
	if (r == 1) {
		end_stranger(d, e);
		return;
	}
	r = ask_state(d);
	if (r == -ENODEV || r == -ENXIO) {
		end_with(e, DW_SECURED_GONE, "removed while it erased itself");
	} else if (refused) {
		end_cleared(d, e, DW_SECURED_REFUSED,
			    "the disk aborted SECURITY ERASE UNIT");
	} else if (!r && !d->caps.self.security.enabled) {
		/* of an answer that contradicts itself the blocks decide */
		e->how = well && !is_outranked(done) ? DW_SECURED_ERASED
						     : DW_SECURED_UNTOLD;
		forget(d);
	} else if (well) {
		end_cleared(
			d, e, DW_SECURED_REFUSED,
			"it says that SECURITY ERASE UNIT ended well, but not that its "
			"password is gone with the data: it is not erased");
	} else {
		end_cleared(d, e, DW_SECURED_CUT_OFF,
			    "SECURITY ERASE UNIT was cut off: it is not erased");
	}
}

void dw_security_erase(struct dw_device *d, bool enhanced, struct dw_security_end *ret)
{
	enum dw_ata_secure what = enhanced ? DW_ATA_SECURE_ENHANCED : DW_ATA_SECURE_ERASE;
	uint32_t timeout = dw_operation_timeout_ms(
		&d->caps, enhanced ? DW_OPERATION_ATA_ENHANCED : DW_OPERATION_ATA_NORMAL);
	struct password_command o;

	*ret = (struct dw_security_end){ .how = DW_SECURED_REFUSED };
	if (!set_password(d, ret) || !send_erase(d, what, timeout, ret, &o))
		return;
	ret->cmd = o.cmd;
	ret->cmd.data = NULL; /* which ends with this function */
	ret->done = o.done;
	ret->done.cmd = &ret->cmd;
	judge_end(d, &o.done, ret);
}

int dw_security_release(struct dw_device *d, struct dw_verdict *ret_verdict)
{
	const char *why = "it does not answer";
	int r;

	if (!d->caps.self.security.supported || !dw_password_known(&d->info))
		return 0;
	r = dw_device_names(d);
	if (r == 1)
		return dw_verdict_set(ret_verdict, DW_REFUSAL_CHANGED, DW_ANOTHER_DISK);
	if (r || ask_state(d))
		return dw_verdict_set(
			ret_verdict, DW_REFUSAL_ERROR,
			"it may have our password from an erase that was cut "
			"off, and does not answer");
	if (!d->caps.self.security.enabled) {
		forget(d);
		return 0;
	}
	if (clear_password(d, &why))
		return dw_verdict_set(ret_verdict, DW_REFUSAL_WRITE_PROTECTED,
				      "an erase of it was cut off: %s", why);
	d->unlocked = true;
	return 0;
}
