/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* German. */
#include "print/words.h"

const struct dw_words dw_words_de = {
	.code = "de",
	.word = {
		[DW_WORD_CERTIFICATE] = "Löschzertifikat",
		[DW_WORD_RECORD_EXCEPTIONS] = "Protokoll einer unvollständigen Löschung",
		[DW_WORD_RECORD_NOT_ERASED] =
			"Protokoll eines nicht gelöschten Datenträgers",
		[DW_WORD_RECORD_CHECK] = "Protokoll einer Prüfung",
		[DW_WORD_SUMMARY] = "Übersicht",
		[DW_WORD_ERASED] = "Gelöscht",
		[DW_WORD_EXCEPTIONS_LOUD] = "NICHT VOLLSTÄNDIG GELÖSCHT",
		[DW_WORD_NOT_ERASED] = "NICHT GELÖSCHT",
		[DW_WORD_AS_EXPECTED] = "WIE ERWARTET",
		[DW_WORD_SAYS_ERASED] =
			("Jeder Block, den ein Rechner erreichen kann, wurde "
			"gelöscht, mit dem unten genannten Verfahren und der unten "
			"genannten Prüfung."),
		[DW_WORD_SAYS_OVERWRITTEN] =
			("Jeder Block, den ein Rechner erreichen kann, wurde "
			"überschrieben, mit dem unten genannten Verfahren und der "
			"unten genannten Prüfung."),
		[DW_WORD_SAYS_EXCEPTIONS] =
			("Einige Blöcke dieses Datenträgers sind nicht nachweislich "
			"gelöscht. Er kann noch Daten enthalten. Dies ist kein "
			"Zertifikat."),
		[DW_WORD_SAYS_NOT_ERASED] =
			("Dieser Datenträger wurde nicht gelöscht. Behandeln Sie "
			"ihn so, als wären alle Daten noch vorhanden. Dies ist "
			"kein Zertifikat."),
		[DW_WORD_SAYS_SIMULATION] =
			("Dies war eine Simulation. Kein Datenträger wurde berührt. "
			"Dies ist kein Zertifikat."),
		[DW_WORD_SAYS_AS_EXPECTED] =
			("Dieser Datenträger wurde gelesen und verglichen. Er "
			"enthielt, was erwartet war. Nichts wurde geschrieben. Dies "
			"ist kein Zertifikat."),
		[DW_WORD_DISK] = "Datenträger",
		[DW_WORD_ERASURE] = "Löschung",
		[DW_WORD_VERIFICATION] = "Prüfung",
		[DW_WORD_TIMES] = "Zeiten (UTC)",
		[DW_WORD_PLACE] = "Wer und wo",
		[DW_WORD_EXCEPTIONS] = "Nicht nachweislich gelöschte Blöcke",
		[DW_WORD_NOTES] = "Grenzen",
		[DW_WORD_PROOF] = "Nachweis",
		[DW_WORD_MODEL] = "Modell",
		[DW_WORD_SERIAL] = "Seriennummer",
		[DW_WORD_WWN] = "World Wide Name",
		[DW_WORD_FIRMWARE] = "Firmware",
		[DW_WORD_INTERFACE] = "Schnittstelle",
		[DW_WORD_CAPACITY] = "Kapazität",
		[DW_WORD_BLOCKS] = "Blöcke",
		[DW_WORD_HIDDEN] = "Verborgene Kapazität",
		[DW_WORD_FOUND] = "Darauf gefunden",
		[DW_WORD_HEALTH_BEFORE] = "Zustand vorher",
		[DW_WORD_HEALTH_AFTER] = "Zustand nachher",
		[DW_WORD_OUTCOME] = "Ergebnis",
		[DW_WORD_REASON] = "Grund",
		[DW_WORD_METHOD] = "Verfahren",
		[DW_WORD_WHY_METHOD] = "Warum dieses Verfahren",
		[DW_WORD_LEVEL] = "Stufe (NIST SP 800-88)",
		[DW_WORD_WHY_LEVEL] = "Warum keine höhere",
		[DW_WORD_STANDARD_NIST] = "NIST SP 800-88r2",
		[DW_WORD_STANDARD_NIST_TEXT] =
			("Verifizierung: siehe dort; Validierung, ob das für die Daten "
			"genügt, die darauf waren: wer unten unterschreibt"),
		[DW_WORD_STANDARD_IEEE] = "IEEE 2883-2022",
		[DW_WORD_STANDARD_IEEE_TEXT] =
			"danach wird nichts behauptet, außer was der Datenträger bestätigt",
		[DW_WORD_LEVEL_TABLE] = "Tabelle der Stufen",
		[DW_WORD_ATTESTED] = "Was der Datenträger bescheinigt",
		[DW_WORD_ATTESTED_YES] =
			"dass er getan hat, was IEEE 2883 „purge“ nennt (NVMe: PREQ, PRGD)",
		[DW_WORD_ATTESTED_NO] =
			"nichts, obwohl er dazu angewiesen war (IEEE 2883; NVMe: PREQ)",
		[DW_WORD_COMMAND] = "Befehl",
		[DW_WORD_PASSES] = "Durchgänge",
		[DW_WORD_AMOUNT] = "Geschrieben",
		[DW_WORD_ERRORS] = "Fehler",
		[DW_WORD_ASKED] = "Verlangt",
		[DW_WORD_DONE] = "Erfolgt",
		[DW_WORD_BOUND] = "Was sie belegt",
		[DW_WORD_COMPARED] = "Durch ihn selbst",
		[DW_WORD_MEDIUM] = "Gelesen von",
		[DW_WORD_MISMATCHES] = "Abweichende Blöcke",
		[DW_WORD_SECOND] = "Zweite Prüfung",
		[DW_WORD_STARTED] = "Beginn",
		[DW_WORD_FINISHED] = "Ende",
		[DW_WORD_DURATION] = "Dauer",
		[DW_WORD_FORECAST] = "Vorhersage",
		[DW_WORD_OPERATOR] = "Bediener",
		[DW_WORD_BAY] = "Einschub",
		[DW_WORD_LABEL] = "Bezeichnung",
		[DW_WORD_HOST] = "Rechner",
		[DW_WORD_HOST_SERIAL] = "Seriennummer des Rechners",
		[DW_WORD_ASSET] = "Inventarnummer des Rechners",
		[DW_WORD_STATION] = "Station",
		[DW_WORD_ASKED_BY] = "Beauftragt von",
		[DW_WORD_CUSTOMER] = "Kunde",
		[DW_WORD_ORDER] = "Auftrag",
		[DW_WORD_DISK_ASSET] = "Inventarnummer",
		[DW_WORD_DEVICE] = "Gerät",
		[DW_WORD_TOOL] = "Programm",
		[DW_WORD_RECORD_ID] = "Protokoll",
		[DW_WORD_SEQUENCE] = "Nummer im Verzeichnis",
		[DW_WORD_HASH] = "SHA-256",
		[DW_WORD_KEY] = "Signiert vom Schlüssel",
		[DW_WORD_CHAIN] = "Kette",
		[DW_WORD_HEAD] = "Ende des Verzeichnisses",
		[DW_WORD_IN_CHAIN] =
			("Das Verzeichnis war bei der Ausstellung vollständig und "
			"in Ordnung."),
		[DW_WORD_BY_ITSELF] =
			("Das Protokoll wurde für sich geprüft, nicht seine Stelle "
			"im Verzeichnis."),
		[DW_WORD_LATER] = "Späterer Versuch",
		[DW_WORD_LATER_TEXT] = "Protokoll %s: nicht gelöscht, oder nicht wie erwartet",
		[DW_WORD_OWN_SIGNERS] =
			("Wer signieren darf, wurde dem Verzeichnis selbst "
			"entnommen."),
		[DW_WORD_NONE] = "keine",
		[DW_WORD_NOT_KNOWN] = "nicht bekannt",
		[DW_WORD_NO_HIDDEN] = "keine gefunden",
		[DW_WORD_HIDDEN_LEFT] = "%s verborgen, nicht gelöscht",
		[DW_WORD_CLEAR] = "Clear (Löschen)",
		[DW_WORD_PURGE] = "Purge (Bereinigen)",
		[DW_WORD_NO_LEVEL] = "keine erreicht",
		[DW_WORD_VERIFIED_NONE] = "nichts wurde zurückgelesen",
		[DW_WORD_VERIFIED_PART] = "weniger als verlangt: %s Blöcke gelesen",
		[DW_WORD_VERIFIED_SAMPLE] =
			"eine Zufallsstichprobe: %s Blöcke gelesen und verglichen",
		[DW_WORD_VERIFIED_PLACES] =
			"%s Stellen vorher und nachher gelesen; alle haben sich geändert",
		[DW_WORD_VERIFIED_FULL] = "jeder Block: %s Blöcke gelesen und verglichen",
		[DW_WORD_BOUND_TEXT] =
			("Mit 99 % Sicherheit weichen höchstens %s von einer "
			"Million Blöcken ab."),
		[DW_WORD_BOUND_TOO_HIGH] =
			("Die Stichprobe ist zu klein, um etwas über die anderen "
			"Blöcke zu belegen."),
		[DW_WORD_COMPARED_TEXT] =
			("%s Blöcke verglichen; %s von %s gesetzten Abweichungen gefunden. "
			 "Höchstens %s von einer Million Bereichen kann er übergangen "
			 "haben (99 %)."),
		[DW_WORD_FROM_MEDIUM] = "dem Medium",
		[DW_WORD_FROM_CACHE] = "dem Datenträger, vielleicht dessen Puffer",
		[DW_WORD_SECOND_BY] = "durch %s, Protokoll %s",
		[DW_WORD_SECOND_OF] =
			"von Protokoll %s von %s, gezogen in Protokoll %s",
		[DW_WORD_MORE] = "und %s weitere",
		[DW_WORD_ERRORS_TEXT] =
			("%s wiederholt, %s geteilt, %s Zeitüberschreitungen, %s "
			"Resets"),
		[DW_WORD_COMMANDS_TEXT] = "%s Byte in %s Befehlen",
		[DW_WORD_BLOCKS_TEXT] = "%s zu %s Byte",
		[DW_WORD_FIRST_BLOCK] = "Erster Block",
		[DW_WORD_COUNT] = "Blöcke",
		[DW_WORD_KIND] = "Art",
		[DW_WORD_SENSE] = "Sense",
		[DW_WORD_TOTAL] = "Gelöschte Kapazität",
		[DW_WORD_ALL_DISKS] = "Datenträger",
		[DW_WORD_EARLIER] = "FRÜHERER VERSUCH",
		[DW_WORD_EARLIER_ATTEMPTS] = "Frühere Versuche",
		[DW_WORD_NAME] = "Name",
		[DW_WORD_TITLE] = "Funktion",
		[DW_WORD_DATE] = "Datum",
		[DW_WORD_LOCATION] = "Ort",
		[DW_WORD_SIGNATURE] = "Unterschrift",
		[DW_WORD_ERASED_BY] = "Durchgeführt von",
		[DW_WORD_VERIFIED_BY] = "Geprüft von",
		[DW_WORD_HOW_TO_CHECK] =
			("Das Protokoll und seine Signatur sind dieser PDF-Datei "
			"angehängt. „diskwipe records verify --signers=DATEI "
			"record.json“ prüft sie, ebenso ssh-keygen -Y verify "
			"(Namensraum diskwipe-record)."),
		[DW_WORD_PAGE] = "Seite %s von %s",
	},
};
