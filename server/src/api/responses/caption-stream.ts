import { CaptionBuilder } from '../../domain/captions/caption-builder.ts';
import { CAPTION_FORMATS, type CaptionMediaType } from '../../domain/captions/caption-file.ts';
import { captionWords } from '../../domain/speech/timing/caption-words.ts';
import type { TimedAudio } from '../../domain/speech/timing/timed-audio.ts';
import type { ChunkTiming } from '../../domain/speech/timing/timing.ts';

/** The captions of speech, each as soon as it is final. The audio is discarded. */
export async function* captionStream(
  body: AsyncIterable<TimedAudio>,
  type: CaptionMediaType,
): AsyncGenerator<Uint8Array> {
  const { header, write } = CAPTION_FORMATS[type];
  const builder = new CaptionBuilder();
  let count = 0;
  if (header !== '') yield Buffer.from(header);
  for await (const chunk of finalTimings(body)) {
    const captions = captionWords(chunk).flatMap((word) => builder.add(word));
    if (captions.length > 0) yield Buffer.from(captions.map((caption) => write(caption, ++count)).join(''));
  }
  const rest = builder.finish().map((caption) => write(caption, ++count));
  if (rest.length > 0) yield Buffer.from(rest.join(''));
}

/** The last timing of each chunk. */
async function* finalTimings(body: AsyncIterable<TimedAudio>): AsyncGenerator<ChunkTiming> {
  let last: ChunkTiming | undefined;
  for await (const { timing } of body) {
    if (timing === undefined) continue;
    if (last !== undefined && last.sequence !== timing.sequence) yield last;
    last = timing;
  }
  if (last !== undefined) yield last;
}
