import type { Phrase, Segment, Transcription } from 'mynah';
import { Fragment, useEffect, useMemo, useRef, useState } from 'react';
import { download } from '../audio/wav.ts';
import { type CaptionPhrase, toSrt, toText, toVtt } from '../lib/captions.ts';
import { formatTime } from '../lib/format.ts';
import { useLeaveGuard } from '../lib/use-leave-guard.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { Badge } from '../ui/layout.tsx';

const SPEAKER_LOOKS = ['accent', 'warn', 'ok', 'danger', 'neutral'] as const;

/** The phrases of a transcription; the whole text as one where the server sent none. */
function phrasesOf(transcription: Transcription): readonly Phrase[] {
  if (transcription.phrases) return transcription.phrases;
  const { text, duration, segments } = transcription;
  return [{ text, start: 0, end: duration, confidence: 1, language_code: '', words: segments }];
}

/** A transcript: words that seek, text that can be corrected, and exports. */
export function TranscriptView({
  transcription,
  audio,
  name,
}: {
  readonly transcription: Transcription;
  readonly audio?: Blob;
  readonly name: string;
}) {
  const t = useTranslate();
  const player = useRef<HTMLAudioElement>(null);
  const phrases = useMemo(() => phrasesOf(transcription), [transcription]);
  const [texts, setTexts] = useState<Readonly<Record<number, string>>>({});
  const [exportedTexts, setExportedTexts] = useState(texts);
  useLeaveGuard(texts !== exportedTexts);
  const [isEditing, setIsEditing] = useState(false);
  const [time, setTime] = useState(0);
  const url = useMemo(() => (audio ? URL.createObjectURL(audio) : undefined), [audio]);
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);

  const speakers = [...new Set(phrases.flatMap(({ speaker }) => (speaker ? [speaker] : [])))];
  const edited: readonly CaptionPhrase[] = phrases.map(({ text, start, end, speaker }, index) => ({
    text: texts[index] ?? text,
    start,
    end,
    speaker,
  }));
  const seek = (seconds: number) => {
    if (!player.current) return;
    player.current.currentTime = seconds;
    void player.current.play();
  };
  const save = (content: string, extension: string) => {
    download(new Blob([content], { type: 'text/plain' }), `${name.replace(/\.\w+$/, '')}.${extension}`);
    setExportedTexts(texts);
  };
  return (
    <section aria-label={t('Transcript')} className="card" data-testid="transcript">
      <div className="flex flex-wrap items-center gap-2 border-b border-line p-4">
        <span className="me-auto flex flex-wrap items-center gap-2">
          <Badge>{formatTime(transcription.duration)}</Badge>
          {transcription.language && <Badge>{transcription.language}</Badge>}
        </span>
        <Button isSmall aria-pressed={isEditing} onClick={() => setIsEditing(!isEditing)}>
          {isEditing ? t('Done') : t('Edit')}
        </Button>
        <Button isSmall icon="download" onClick={() => save(toSrt(edited), 'srt')}>
          SRT
        </Button>
        <Button isSmall icon="download" onClick={() => save(toVtt(edited), 'vtt')}>
          VTT
        </Button>
        <Button isSmall icon="download" onClick={() => save(toText(edited), 'txt')}>
          TXT
        </Button>
        <Button
          isSmall
          icon="download"
          onClick={() => save(JSON.stringify({ ...transcription, phrases: edited }, null, 2), 'json')}
        >
          JSON
        </Button>
      </div>
      {url && (
        // biome-ignore lint/a11y/useMediaCaption: the transcript below is its caption
        <audio
          ref={player}
          src={url}
          controls
          className="w-full px-4 pt-4"
          onTimeUpdate={(event) => setTime(event.currentTarget.currentTime)}
        />
      )}
      {phrases.length === 0 && <p className="p-6 text-center text-muted">{t('No speech was found.')}</p>}
      <ol className="space-y-1 p-4">
        {phrases.map((phrase, index) => {
          const text = texts[index] ?? phrase.text;
          const speaker = phrase.speaker ? speakers.indexOf(phrase.speaker) : -1;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: phrases keep their places
            <li key={index} className="flex gap-3 rounded-lg px-1 py-1">
              <button
                type="button"
                className="shrink-0 self-start pt-0.5 text-sm text-muted tabular-nums hover:underline"
                onClick={() => seek(phrase.start)}
              >
                {formatTime(phrase.start)}
              </button>
              <div className="min-w-0 flex-1">
                {speaker >= 0 && (
                  <Badge look={SPEAKER_LOOKS[speaker % SPEAKER_LOOKS.length] ?? 'neutral'}>
                    {phrase.speaker}
                  </Badge>
                )}
                {isEditing ? (
                  <textarea
                    aria-label={t('Text at {time}', { time: formatTime(phrase.start) })}
                    rows={Math.max(1, Math.ceil(text.length / 80))}
                    className="input"
                    value={text}
                    onChange={(event) => setTexts({ ...texts, [index]: event.target.value })}
                  />
                ) : (
                  <p dir="auto" className="break-words">
                    {texts[index] === undefined ? (
                      <Words words={phrase.words} fallback={phrase.text} time={time} onSeek={seek} />
                    ) : (
                      text
                    )}
                  </p>
                )}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Words({
  words,
  fallback,
  time,
  onSeek,
}: {
  readonly words: readonly Segment[];
  readonly fallback: string;
  readonly time: number;
  readonly onSeek: (seconds: number) => void;
}) {
  if (words.length === 0) return fallback;
  // Chinese and Japanese write no spaces.
  const separator = /\s/.test(fallback) ? ' ' : '';
  return words.map((word) => (
    <Fragment key={`${word.start}-${word.text}`}>
      <button
        type="button"
        data-spoken={(time > 0 && word.start <= time && time < word.end) || undefined}
        className="cursor-pointer rounded-sm hover:underline data-[spoken]:bg-mark"
        onClick={() => onSeek(word.start)}
      >
        {word.text.trim()}
      </button>
      {separator}
    </Fragment>
  ));
}
