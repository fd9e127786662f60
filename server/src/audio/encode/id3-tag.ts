import type { AudioFileTags, ChapterMark } from '../chapter-mark.ts';

const UTF_8 = 3;
const NO_OFFSET = 0xffffffff;
const TOP_LEVEL_ORDERED = 0b11;
/** A `CTOC` frame counts its entries in one byte. */
const CONTENTS_MAX = 255;

/** Builds an ID3v2.4 tag with chapters (ID3v2 Chapter Frame Addendum 1.0). It precedes the frames of an MP3 file. */
export function buildId3Tag({ title, author, chapters }: AudioFileTags): Uint8Array {
  const frames = [
    textFrame('TIT2', title),
    textFrame('TALB', title),
    ...(author === undefined ? [] : [textFrame('TPE1', author)]),
    textFrame('TCON', 'Audiobook'),
    ...(chapters.length <= CONTENTS_MAX ? [contentsFrame(chapters)] : []),
    ...chapters.map(chapterFrame),
  ];
  const body = Buffer.concat(frames);
  return Buffer.concat([Buffer.from('ID3\x04\x00\x00', 'latin1'), syncsafe(body.length), body]);
}

function chapterFrame({ title, startSeconds, endSeconds }: ChapterMark, index: number): Buffer {
  const times = Buffer.alloc(16);
  times.writeUInt32BE(Math.round(startSeconds * 1000), 0);
  times.writeUInt32BE(Math.round(endSeconds * 1000), 4);
  times.writeUInt32BE(NO_OFFSET, 8);
  times.writeUInt32BE(NO_OFFSET, 12);
  return frame('CHAP', Buffer.concat([elementId(index), times, textFrame('TIT2', title)]));
}

function contentsFrame(chapters: readonly ChapterMark[]): Buffer {
  const head = Buffer.concat([Buffer.from('toc\0'), Buffer.from([TOP_LEVEL_ORDERED, chapters.length])]);
  return frame('CTOC', Buffer.concat([head, ...chapters.map((_, index) => elementId(index))]));
}

function elementId(index: number): Buffer {
  return Buffer.from(`chp${index}\0`);
}

function textFrame(id: string, text: string): Buffer {
  return frame(id, Buffer.concat([Buffer.from([UTF_8]), Buffer.from(text.replaceAll('\0', ' '), 'utf8')]));
}

function frame(id: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(id, 'latin1'), syncsafe(content.length), Buffer.alloc(2), content]);
}

/** A size in 28 bits, seven in each byte. */
function syncsafe(size: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f));
}
