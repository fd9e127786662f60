import { createReadStream } from 'node:fs';
import type { CaptionWord } from '../captions/caption.ts';
import type { FileStore } from '../voices/file-store.ts';
import type { AudiobookFormat } from './audiobook-job.ts';
import type { PlannedChapter } from './plan-sections.ts';

export const CAPTION_EXTENSIONS = ['vtt', 'srt'] as const;
export type CaptionExtension = (typeof CAPTION_EXTENSIONS)[number];

/** The files of audiobook jobs: texts of chapters, audio and words of sections, results. */
export class AudiobookFiles {
  readonly #files: FileStore;

  constructor(files: FileStore) {
    this.#files = files;
  }

  async writeChapters(id: string, chapters: readonly PlannedChapter[]): Promise<void> {
    for (const [index, chapter] of chapters.entries())
      await this.#files.write(chapterName(id, index), toJson(chapter));
  }

  chapter(id: string, index: number): Promise<PlannedChapter> {
    return this.#readJson(chapterName(id, index));
  }

  /** Stores the audio (16-bit PCM) and the words of a section. The words are relative to the section. */
  async writeSection(
    id: string,
    index: number,
    section: { readonly pcm: AsyncIterable<Uint8Array>; readonly words: () => readonly CaptionWord[] },
  ): Promise<void> {
    await this.#files.write(`${sectionName(id, index)}.pcm`, section.pcm);
    await this.#files.write(`${sectionName(id, index)}.json`, toJson(section.words()));
  }

  /** The audio of a section, as 16-bit PCM. */
  async *sectionPcm(id: string, index: number): AsyncGenerator<Buffer> {
    const path = await this.#files.locate(`${sectionName(id, index)}.pcm`);
    if (path === undefined) throw createMissingFileError();
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  }

  sectionWords(id: string, index: number): Promise<readonly CaptionWord[]> {
    return this.#readJson(`${sectionName(id, index)}.json`);
  }

  writeAudio(id: string, format: AudiobookFormat, content: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#files.write(`${folderOf(id)}/audio.${format}`, content);
  }

  writeCaptions(id: string, extension: CaptionExtension, content: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#files.write(`${folderOf(id)}/captions.${extension}`, content);
  }

  /** The path of a result on disk. */
  locate(id: string, file: `audio.${AudiobookFormat}` | `captions.${CaptionExtension}`) {
    return this.#files.locate(`${folderOf(id)}/${file}`);
  }

  /** Removes what is needed only until the result exists. */
  async removeParts(id: string): Promise<void> {
    await this.#files.remove(`${folderOf(id)}/chapters`);
    await this.#files.remove(`${folderOf(id)}/sections`);
  }

  async remove(id: string): Promise<void> {
    await this.#files.remove(folderOf(id));
  }

  /** Removes the copies on this server of files of a job that another server has deleted. */
  forget(id: string): Promise<void> {
    return this.#files.forget(folderOf(id));
  }

  /** Removes the copies on this server of all files that other servers have removed. */
  forgetRemoved(): Promise<void> {
    return this.#files.forgetRemoved();
  }

  async #readJson<Value>(name: string): Promise<Value> {
    const bytes = await this.#files.read(name);
    if (bytes === undefined) throw createMissingFileError();
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as Value;
  }
}

function folderOf(id: string): string {
  return `audiobooks/${id}`;
}

function chapterName(id: string, index: number): string {
  return `${folderOf(id)}/chapters/${index}.json`;
}

function sectionName(id: string, index: number): string {
  return `${folderOf(id)}/sections/${index}`;
}

function toJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function createMissingFileError(): Error {
  return new Error('A file of an audiobook job is missing.');
}
