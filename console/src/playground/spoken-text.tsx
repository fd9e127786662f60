import type { Take } from '../audio/take.ts';
import { usePosition } from '../audio/use-player.ts';
import { useTranslate } from '../lib/use-translate.ts';

/** The text with the spoken word highlighted. A click on a word plays from there. */
export function SpokenText({ take }: { readonly take: Take }) {
  const t = useTranslate();
  const position = usePosition(take.player);
  const { text } = take.info;
  const spoken = take.words.findLastIndex(({ start }) => start <= position + 0.02);
  const isAtWord = take.player.isPlaying || (position > 0 && position < take.player.durationSeconds);
  let at = 0;
  const parts = take.words.flatMap((word, index) => {
    // A word that overlaps an earlier one has no place of its own.
    if (word.charStart < at || word.charEnd <= word.charStart) return [];
    const before = text.slice(at, word.charStart);
    at = word.charEnd;
    return [
      before,
      <button
        key={`${word.charStart}-${word.start}`}
        type="button"
        data-start={word.start}
        data-spoken={(isAtWord && index === spoken) || undefined}
        className="cursor-pointer rounded-sm hover:underline data-[spoken]:bg-mark"
        onClick={() => take.player.play(word.start)}
      >
        {text.slice(word.charStart, word.charEnd)}
      </button>,
    ];
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of words, not of form controls
    <div
      role="group"
      dir="auto"
      aria-label={t('Spoken text')}
      className="text-[1.05rem] leading-8 break-words whitespace-pre-wrap"
    >
      {parts}
      {text.slice(at)}
    </div>
  );
}
