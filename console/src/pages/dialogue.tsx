import { useState } from 'react';
import { Take } from '../audio/take.ts';
import { formatUsd } from '../lib/format.ts';
import { useStored } from '../lib/storage.ts';
import { priceOf, useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { useVoices } from '../lib/use-voices.ts';
import { priceOfText } from '../playground/settings.ts';
import { TakeCard } from '../playground/take-card.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { PageHeader } from '../ui/layout.tsx';
import { VoicePicker } from '../ui/voice-picker.tsx';

interface Line {
  readonly id: number;
  readonly speaker: number;
  readonly text: string;
}

interface Script {
  readonly voices: readonly (string | undefined)[];
  readonly lines: readonly Line[];
}

const SPEAKERS_MAX = 6;
const LINES_MAX = 200;
/** Models that speak with several voices, in order of preference. */
const MODELS = ['s2-pro', 's2.1-pro', 's2.1-pro-free'];

export function DialoguePage() {
  const t = useTranslate();
  const { data: state } = useConsole();
  const { data: voices } = useVoices();
  const [script, setScript] = useStored<Script>('mynah.dialogue', {
    voices: [undefined, undefined],
    lines: [
      { id: 1, speaker: 0, text: t('Did you hear that bird this morning?') },
      { id: 2, speaker: 1, text: t('(laughing) I did. It said good morning to me!') },
    ],
  });
  const [take, setTake] = useState<Take>();
  const [isRunning, setIsRunning] = useState(false);

  const voiceIds = script.voices.map(
    (id, index) => id ?? voices?.[index * 11]?._id ?? voices?.[0]?._id ?? '',
  );
  const model = MODELS.find((name) => state?.models.includes(name)) ?? 's2-pro';
  const spoken = script.lines.filter(({ text }) => text.trim() !== '');
  const text = spoken.map((line) => `<|speaker:${line.speaker}|>${line.text}`).join('\n');
  const addLine = () => {
    const last = script.lines.at(-1);
    const speaker = last ? (last.speaker + 1) % script.voices.length : 0;
    const id = 1 + Math.max(0, ...script.lines.map((line) => line.id));
    setScript({ ...script, lines: [...script.lines, { id, speaker, text: '' }] });
  };
  const play = async () => {
    take?.stop();
    const next = new Take({
      id: `${Date.now()}-dialogue`,
      text,
      voiceId: voiceIds[0] ?? '',
      voiceTitle: t('Dialogue'),
      model,
      speed: 1,
      volume: 0,
      createdAtMs: Date.now(),
    });
    setTake(next);
    setIsRunning(true);
    await next.run({ model, reference_id: voiceIds });
    setIsRunning(false);
  };
  return (
    <>
      <PageHeader title={t('Dialogue')} text={t('Several voices in one recording.')} />
      <div className="grid gap-6 lg:grid-cols-[1fr_17rem]">
        <div className="min-w-0 space-y-5">
          <LineList script={script} onChange={setScript} />
          <div className="flex flex-wrap items-center gap-3">
            <Button icon="plus" disabled={script.lines.length >= LINES_MAX} onClick={addLine}>
              {t('Add a line')}
            </Button>
            <span className="flex-1" />
            {state?.billing === 'prepaid' && (
              <span className="text-sm text-muted">
                {formatUsd(priceOfText(text, priceOf(state, 'tts', model)))}
              </span>
            )}
            {isRunning ? (
              <Button icon="stop" onClick={() => take?.stop()}>
                {t('Stop')}
              </Button>
            ) : (
              <Button look="primary" icon="play" disabled={spoken.length === 0} onClick={() => void play()}>
                {t('Play the dialogue')}
              </Button>
            )}
          </div>
          {take && <TakeCard take={take} hasText={false} />}
        </div>
        <SpeakerList script={script} voiceIds={voiceIds} onChange={setScript} />
      </div>
    </>
  );
}

interface ScriptProps {
  readonly script: Script;
  readonly onChange: (script: Script) => void;
}

function LineList({ script, onChange }: ScriptProps) {
  const t = useTranslate();
  const setLine = (id: number, part: Partial<Line>) =>
    onChange({
      ...script,
      lines: script.lines.map((line) => (line.id === id ? { ...line, ...part } : line)),
    });
  return (
    <ol aria-label={t('Lines')} className="card divide-y divide-line">
      {script.lines.map((line, index) => (
        <li key={line.id} className="flex flex-wrap items-start gap-2 p-3 sm:flex-nowrap">
          <div className="w-40 shrink-0">
            <Select
              label={t('Speaker of line {number}', { number: index + 1 })}
              isLabelHidden
              value={String(line.speaker)}
              onChange={(value) => setLine(line.id, { speaker: Number(value) })}
              options={script.voices.map((_, speaker) => ({
                value: String(speaker),
                label: t('Speaker {number}', { number: speaker + 1 }),
              }))}
            />
          </div>
          <span className="flex-1 sm:hidden" />
          <textarea
            aria-label={t('Line {number}', { number: index + 1 })}
            dir="auto"
            rows={2}
            className="input order-last sm:order-none"
            value={line.text}
            onChange={(event) => setLine(line.id, { text: event.target.value })}
          />
          <IconButton
            label={t('Remove line {number}', { number: index + 1 })}
            icon="trash"
            onClick={() => onChange({ ...script, lines: script.lines.filter((each) => each.id !== line.id) })}
          />
        </li>
      ))}
    </ol>
  );
}

function SpeakerList({
  script,
  voiceIds,
  onChange,
}: ScriptProps & {
  readonly voiceIds: readonly string[];
}) {
  const t = useTranslate();
  return (
    <section aria-label={t('Speakers')} className="space-y-4">
      {voiceIds.map((id, index) => (
        <VoicePicker
          // biome-ignore lint/suspicious/noArrayIndexKey: speakers are numbered
          key={index}
          label={t('Speaker {number}', { number: index + 1 })}
          value={id}
          onChange={({ _id }) =>
            onChange({ ...script, voices: script.voices.map((each, at) => (at === index ? _id : each)) })
          }
        />
      ))}
      <Button
        isSmall
        icon="plus"
        disabled={script.voices.length >= SPEAKERS_MAX}
        onClick={() => onChange({ ...script, voices: [...script.voices, undefined] })}
      >
        {t('Add a speaker')}
      </Button>
    </section>
  );
}
