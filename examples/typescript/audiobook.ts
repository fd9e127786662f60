// Reads a text aloud, a file for each chapter, and a playlist of them. Lines that begin with # are chapter titles:
//
//   node audiobook.ts book.txt [voice]        writes book/01-down-the-rabbit-hole.mp3 … and book/book.m3u8
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Mynah } from 'mynah';

const [book, voice] = process.argv.slice(2);
if (book === undefined) throw new Error('Usage: node audiobook.ts BOOK [VOICE]');

const mynah = new Mynah();
const folder = book.replace(/\.[^./]*$/, '');
await mkdir(folder, { recursive: true });

const playlist = ['#EXTM3U'];
for (const [index, { title, text }] of toChapters(await readFile(book, 'utf8')).entries()) {
  const name = `${String(index + 1).padStart(2, '0')}-${toFileName(title)}.mp3`;
  const audio = await mynah.textToSpeech.convert({
    text: `${title}.\n\n${text}`,
    ...(voice !== undefined && { reference_id: voice }),
  });
  await audio.toFile(join(folder, name));
  playlist.push(`#EXTINF:-1,${title}`, name);
  console.log(join(folder, name));
}
await writeFile(join(folder, `${basename(folder)}.m3u8`), `${playlist.join('\n')}\n`);

/** What stands between two titles; text before the first is a chapter of its own. */
function toChapters(whole: string): { title: string; text: string }[] {
  const parts = whole.split(/^#+ *(.+)$/m);
  const chapters = [{ title: 'Introduction', text: parts[0] ?? '' }];
  for (let at = 1; at < parts.length; at += 2)
    chapters.push({ title: parts[at]!.trim(), text: parts[at + 1]! });
  return chapters.filter(({ text }) => text.trim() !== '');
}

function toFileName(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
}
