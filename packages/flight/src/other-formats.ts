/**
 * Files that are often at hand instead of a payload, known by their first bytes, so that somebody who took the wrong one is
 * told which it is. Sources: the formats' own specifications; the same numbers are in file(1).
 */
const signatures: readonly { readonly at?: number; readonly bytes: readonly number[]; readonly name: string }[] = [
  { bytes: toBytes('%PDF-'), name: 'a PDF document' },
  { bytes: [0x89, ...toBytes('PNG')], name: 'a PNG image' },
  { bytes: [0xff, 0xd8, 0xff], name: 'a JPEG image' },
  { bytes: toBytes('GIF8'), name: 'a GIF image' },
  { bytes: toBytes('WEBP'), at: 8, name: 'a WebP image' },
  { bytes: toBytes('ftyp'), at: 4, name: 'a video, or an AVIF or HEIC image' },
  { bytes: [0, 0, 1, 0], name: 'an icon' },
  { bytes: toBytes('wOF'), name: 'a web font' },
  { bytes: [0, ...toBytes('asm')], name: 'a WebAssembly module' },
  { bytes: [...toBytes('PK'), 3, 4], name: 'a ZIP archive, or a document that is one' },
  { bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], name: 'a 7z archive' },
  { bytes: [0xfd, ...toBytes('7zXZ')], name: 'compressed with xz' },
  { bytes: toBytes('BZh'), name: 'compressed with bzip2' },
  { bytes: toBytes('SQLite format 3'), name: 'an SQLite database' },
  { bytes: [0x7f, ...toBytes('ELF')], name: 'a program' },
  // PowerShell's `>` writes this.
  { bytes: [0xff, 0xfe], name: 'text in UTF-16, not in UTF-8; let curl write the file itself, with --output' },
  { bytes: [0xfe, 0xff], name: 'text in UTF-16, not in UTF-8' },
];

function toBytes(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

/** What the bytes are, in words after "it is"; undefined when they are none of these. */
export function nameOtherFormat(bytes: Uint8Array): string | undefined {
  return signatures.find(({ at = 0, bytes: own }) => own.every((byte, index) => bytes[at + index] === byte))?.name;
}
