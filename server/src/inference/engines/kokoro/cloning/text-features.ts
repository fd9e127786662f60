import { readFile } from 'node:fs/promises';
import type { TtsEngineContext } from '../../../../domain/engines/tts-engine.ts';
import { SENTENCE_READING } from '../../../../text/front-end/sentence-reading.ts';
import { textToPieces } from '../../../../text/front-end/text-to-pieces.ts';
import type { Language } from '../../../../text/piece.ts';
import { kokoroTokens, readKokoroTokenTable } from '../../../phonemizer/tokens/kokoro-tokens.ts';
import type { ProsodyVoice } from '../clone-vectors/clone-vector.ts';
import { loadFront } from '../front.ts';
import type { Features } from '../networks/features.ts';
import { Styles } from '../styles.ts';

/** Limit of a text, which bounds time and memory of its alignment. */
const TOKENS_MAX = 400;

/** A text and the Kokoro voice that gives it rhythm and melody. */
export interface ProsodyText {
  readonly language: Language;
  readonly text: string;
  readonly prosody: ProsodyVoice;
}

/** Runs the front over texts. Those without words and those that are too long are left out. */
export async function textFeatures(
  context: TtsEngineContext,
  texts: readonly ProsodyText[],
): Promise<readonly Features[]> {
  const [front, styles, phonemizer, tokenizer] = await Promise.all([
    loadFront(context),
    context.folder('kokoro-voices').then((folder) => Styles.inFolder(folder)),
    context.phonemizer(),
    context.file('kokoro-voices', 'tokenizer.json').then((path) => readFile(path, 'utf8')),
  ]);
  const tokenTable = readKokoroTokenTable(tokenizer);
  const results: Features[] = [];
  try {
    for (const { language, text, prosody } of texts) {
      const words = [...textToPieces(text, { ...SENTENCE_READING, language })].flatMap(
        (piece) => piece.words,
      );
      const { ids } = kokoroTokens(phonemizer.kokoro(words, language).symbols, tokenTable);
      if (ids.length === 0 || ids.length > TOKENS_MAX) continue;
      const style = await styles.row({ kind: 'named', name: prosody.name }, ids.length);
      results.push(await front.run(ids, style, 1));
    }
  } finally {
    await front.close();
  }
  return results;
}
