import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Take, type TakeInfo } from '../audio/take.ts';
import { loadTake, storeTake } from '../audio/take-history.ts';
import { formatNumber, formatUsd } from '../lib/format.ts';
import { useStored } from '../lib/storage.ts';
import { priceOf, useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { useVoices } from '../lib/use-voices.ts';
import { codeSamples } from '../playground/code-samples.ts';
import { CuePalette } from '../playground/cue-palette.tsx';
import { FILE_FORMATS } from '../playground/download-take.ts';
import { HISTORY_KEY, History } from '../playground/history.tsx';
import { bytesOf, DEFAULT_SETTINGS, type PlaygroundSettings, priceOfText } from '../playground/settings.ts';
import { SsmlHelp } from '../playground/ssml-help.tsx';
import { loadWaveform, TakeCard } from '../playground/take-card.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/copy.tsx';
import { Select, Slider, Switch } from '../ui/field.tsx';
import { PageHeader } from '../ui/layout.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { VoicePicker } from '../ui/voice-picker.tsx';

const SPEED = { min: 0.5, max: 2, step: 0.05 } as const;
const VOLUME = { min: -20, max: 20, step: 1 } as const;

export function PlaygroundPage() {
  const t = useTranslate();
  const queryClient = useQueryClient();
  const { data: state } = useConsole();
  const voices = useVoices();
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useStored(
    'mynah.playground.text',
    t('Hello! I speak on your own machine. (happy) Nobody else is listening, and I am glad to meet you.'),
  );
  const [settings, setSettings] = useStored<PlaygroundSettings>('mynah.playground', DEFAULT_SETTINGS);
  const [takes, setTakes] = useState<readonly Take[]>([]);
  const [isRunning, setIsRunning] = useState(false);
  useEffect(() => void loadWaveform().catch(() => {}), []);
  const change = (part: Partial<PlaygroundSettings>) => setSettings({ ...settings, ...part });

  const model = settings.model ?? state?.default_model ?? 's1';
  const voice =
    voices.data?.find(({ _id }) => _id === settings.voiceId) ??
    voices.data?.find(({ state: s }) => s === 'trained');
  const second = voices.data?.find(({ _id }) => _id === settings.secondVoiceId);
  const chosen = [voice, ...(settings.isComparing && second ? [second] : [])];
  const price = priceOfText(text, priceOf(state, 'tts', model)) * chosen.length;

  const speak = async () => {
    if (text.trim() === '' || isRunning) return;
    for (const take of takes) take.stop();
    const { speed, volume } = settings;
    const made = chosen.map(
      (each) =>
        new Take({
          id: `${Date.now()}-${Math.random().toString(36).slice(2, 8)}`,
          text,
          voiceId: each?._id ?? '',
          voiceTitle: each?.title ?? t('Default voice'),
          model,
          speed,
          volume,
          createdAtMs: Date.now(),
          ...(state?.billing === 'prepaid' && { costUsd: price / chosen.length }),
        }),
    );
    setTakes(made);
    setIsRunning(true);
    for (const [index, take] of made.entries()) {
      const request = {
        model,
        ...(take.info.voiceId && { reference_id: take.info.voiceId }),
        prosody: { speed, volume },
        latency: 'low',
      } as const;
      await take.run(request, { isSilent: index > 0 });
      if (take.error === undefined) await storeTake(take).catch(() => {});
    }
    setIsRunning(false);
    await queryClient.invalidateQueries({ queryKey: HISTORY_KEY });
  };
  const stop = () => {
    for (const take of takes) take.stop();
  };
  const insertCue = (cue: string) => {
    const at = area.current?.selectionStart ?? text.length;
    const inserted = `(${cue}) `;
    setText(text.slice(0, at) + inserted + text.slice(at));
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(at + inserted.length, at + inserted.length);
    });
  };
  const open = (info: TakeInfo) =>
    void loadTake(info.id).then((take) => {
      if (take === undefined) return;
      stop();
      setTakes([take]);
      take.player.play(0);
    });

  const bytes = bytesOf(text);
  const limit = state?.limits.text_max_chars;
  return (
    <>
      <PageHeader title={t('Playground')} text={t('Write something, choose a voice, and hear it at once.')} />
      <div className="grid gap-6 lg:grid-cols-[1fr_17rem]">
        <div className="min-w-0 space-y-6">
          <section className="card" aria-label={t('Text')}>
            <textarea
              ref={area}
              aria-label={t('Text to speak')}
              dir="auto"
              rows={7}
              value={text}
              {...(limit !== undefined && { maxLength: limit })}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
                event.preventDefault();
                void speak();
              }}
              placeholder={t('Write here. Cues such as (sad) or (whispering) change the delivery.')}
              className="block w-full resize-y rounded-t-[14px] bg-transparent p-4 text-[1.05rem] leading-7 placeholder:text-muted focus-visible:outline-offset-[-2px] md:p-5"
            />
            <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-3 md:px-5">
              <p className="text-sm text-muted tabular-nums">
                {t('{bytes} bytes', { bytes: formatNumber(bytes) })}
                {state?.billing === 'prepaid' && ` · ${formatUsd(price)}`}
              </p>
              <div className="flex items-center gap-3">
                <kbd className="hidden rounded border border-line px-1.5 py-0.5 font-sans text-xs text-muted sm:block">
                  Ctrl ↵
                </kbd>
                {isRunning ? (
                  <Button icon="stop" onClick={stop}>
                    {t('Stop')}
                  </Button>
                ) : (
                  <Button
                    look="primary"
                    icon="play"
                    disabled={text.trim() === ''}
                    onClick={() => void speak()}
                  >
                    {t('Speak')}
                  </Button>
                )}
              </div>
            </div>
          </section>
          <section aria-label={t('Result')} aria-live="off" className="space-y-4">
            {takes.map((take) => (
              <TakeCard key={take.info.id} take={take} format={settings.format ?? 'wav'} />
            ))}
          </section>
          <section className="card p-4 md:p-5">
            <Tabs
              label={t('Tools')}
              tabs={[
                {
                  id: 'cues',
                  label: t('Cues'),
                  content: <CuePalette voiceId={voice?._id} model={model} onInsert={insertCue} />,
                },
                { id: 'ssml', label: 'SSML', content: <SsmlHelp onExample={setText} /> },
                { id: 'history', label: t('History'), content: <History onOpen={open} /> },
                {
                  id: 'code',
                  label: t('Code'),
                  content: (
                    <CodeTabs
                      samples={codeSamples(
                        {
                          text,
                          voiceId: voice?._id,
                          model,
                          speed: settings.speed,
                          volume: settings.volume,
                          format: settings.format,
                        },
                        location.origin,
                      )}
                    />
                  ),
                },
              ]}
            />
          </section>
        </div>
        <section className="space-y-5" aria-label={t('Settings')}>
          <VoicePicker
            label={t('Voice')}
            value={voice?._id}
            onChange={({ _id }) => change({ voiceId: _id })}
          />
          <Select
            label={t('Model')}
            value={model}
            options={(state?.models ?? [model]).map((name) => ({ value: name, label: name }))}
            onChange={(name) => change({ model: name })}
          />
          <Slider
            label={t('Speed')}
            value={settings.speed}
            {...SPEED}
            format={(value) => `${value.toFixed(2)}×`}
            onChange={(speed) => change({ speed })}
          />
          <Slider
            label={t('Volume')}
            value={settings.volume}
            {...VOLUME}
            format={(value) => `${value > 0 ? '+' : ''}${value} dB`}
            onChange={(volume) => change({ volume })}
          />
          <Select
            label={t('File format')}
            value={settings.format ?? 'wav'}
            options={FILE_FORMATS.map((name) => ({ value: name, label: name.toUpperCase() }))}
            onChange={(name) => change({ format: FILE_FORMATS.find((format) => format === name) })}
          />
          {settings.format && settings.format !== 'wav' && state?.billing === 'prepaid' && (
            <p className="-mt-3 text-sm text-muted">{t('A download in this format is a further request.')}</p>
          )}
          <Switch
            label={t('Compare two voices')}
            isOn={settings.isComparing}
            onChange={(isComparing) =>
              change({ isComparing, secondVoiceId: settings.secondVoiceId ?? voices.data?.[1]?._id })
            }
          />
          {settings.isComparing && (
            <VoicePicker
              label={t('Second voice')}
              value={second?._id}
              onChange={({ _id }) => change({ secondVoiceId: _id })}
            />
          )}
        </section>
      </div>
    </>
  );
}

function CodeTabs({ samples }: { readonly samples: ReturnType<typeof codeSamples> }) {
  const t = useTranslate();
  return (
    <Tabs
      label={t('Code')}
      tabs={samples.map(({ id, label, code }) => ({
        id,
        label,
        content: <CodeBlock code={code} label={label} />,
      }))}
    />
  );
}
