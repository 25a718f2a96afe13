/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signatures and lists of who may sign, as others hand them over: nobody signs but who is named. */
#include <string.h>

#include "fuzz.h"

#include "proof/ssh.h"
#include "../unit/error_line.h"

#define SPACE "diskwipe-record"
#define NAME  "SSH SIGNATURE"

static void check_signer(const struct dw_signers *list, const struct dw_signer *s)
{
	static const time_t times[] = { 0, 1, 1790000000, 4102444800 };
	const char *why;

	FUZZ_CHECK(memchr(s->name, 0, sizeof(s->name)) && s->name[0]);
	FUZZ_CHECK(memchr(s->spaces, 0, sizeof(s->spaces)));
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		const struct dw_signer *found =
			dw_signers_find(list, s->key, SPACE, times[i], &why);

		FUZZ_CHECK(found ? !memcmp(found->key, s->key, sizeof(s->key)) : !!why);
		if (found && found->after)
			FUZZ_CHECK(times[i] >= found->after);
		if (found && found->before)
			FUZZ_CHECK(times[i] < found->before);
	}
}

/* What is signed is "signed\n"; another text is never taken for it. */
static void check_signature(const char *text, size_t len)
{
	uint8_t key[DW_ED25519_KEY];

	if (!dw_ssh_check(text, len, SPACE, "signed\n", 7, key))
		FUZZ_CHECK(dw_ssh_check(text, len, SPACE, "Signed\n", 7, key) == 1);
}

/* The same of the bytes that are in the armour, which a fuzzer does not come through. */
static void check_inner(const uint8_t *data, size_t size)
{
	struct dw_wire back;
	char *text = dw_armour(NAME, data, size);

	FUZZ_CHECK(text && !dw_armour_parse(NAME, text, strlen(text), &back));
	FUZZ_CHECK(back.len == size && !memcmp(back.data, data, size));
	check_signature(text, strlen(text));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dw_signers list;
	struct dw_error err = { 0 };
	int r = dw_signers_read(fuzz_file("allowed_signers", data, size), &list, &err);

	if (r)
		FUZZ_CHECK(is_whole_error(&err, r));
	for (size_t i = 0; !r && i < list.n; i++)
		check_signer(&list, &list.signer[i]);
	dw_signers_free(&list);
	check_signature((const char *)data, size);
	if (size && size <= DW_WIRE_MAX)
		check_inner(data, size);
	return 0;
}
