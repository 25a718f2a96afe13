/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which build of the library runs: the identification that the linker made of its contents, an ELF
 * note. `file` and `readelf --notes` show the same of the file.
 */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "proof/proof.h"

#define ALIGNED(n) (((n) + 3u) & ~(size_t)3u)

struct build {
	const char *here; /* an address within the object that is looked for */
	char *id;
	size_t size;
};

static void take_note(struct build *b, const uint8_t *at, size_t len)
{
	ElfW(Nhdr) h;

	while (len >= sizeof(h)) {
		const uint8_t *name = at + sizeof(h), *text;
		size_t whole;

		memcpy(&h, at, sizeof(h));
		text = name + ALIGNED(h.n_namesz);
		whole = sizeof(h) + ALIGNED(h.n_namesz) + ALIGNED(h.n_descsz);
		if (whole > len)
			return;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU))) {
			for (size_t i = 0; i < h.n_descsz && 2 * i + 2 < b->size; i++)
				snprintf(b->id + 2 * i, 3, "%02x", text[i]);
			return;
		}
		at += whole;
		len -= whole;
	}
}

static bool contains(const struct dl_phdr_info *o, const char *at)
{
	for (size_t i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		const char *start = (const char *)(o->dlpi_addr + p->p_vaddr);

		if (p->p_type == PT_LOAD && at >= start && at < start + p->p_memsz)
			return true;
	}
	return false;
}

static int look_at(struct dl_phdr_info *o, size_t size, void *ctx)
{
	struct build *b = ctx;

	if (!contains(o, b->here))
		return 0;
	for (size_t i = 0; i < o->dlpi_phnum; i++)
		if (o->dlpi_phdr[i].p_type == PT_NOTE)
			take_note(
				b,
				(const uint8_t *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr),
				o->dlpi_phdr[i].p_memsz);
	return 1;
}

void dw_build_id(char *buf, size_t size)
{
	static const char here;
	struct build b = { .here = &here, .id = buf, .size = size };

	buf[0] = '\0';
	dl_iterate_phdr(look_at, &b);
}
