import { useEffect, useRef } from 'react';
import { formatNumber, formatUsd } from '../lib/format.ts';
import { useStored } from '../lib/storage.ts';
import { priceOf, useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { useVoices } from '../lib/use-voices.ts';
import { codeSamples } from '../playground/code-samples.ts';
import { CuePalette } from '../playground/cue-palette.tsx';
import { History } from '../playground/history.tsx';
import { bytesOf, DEFAULT_SETTINGS, type PlaygroundSettings, priceOfText } from '../playground/settings.ts';
import { SettingsPanel } from '../playground/settings-panel.tsx';
import { SsmlHelp } from '../playground/ssml-help.tsx';
import { loadWaveform, TakeCard } from '../playground/take-card.tsx';
import { TextEditor, type TextEditorHandle } from '../playground/text-editor.tsx';
import { useTakes } from '../playground/use-takes.ts';
import { CodeBlock } from '../ui/copy.tsx';
import { PageHeader } from '../ui/layout.tsx';
import { Tabs } from '../ui/tabs.tsx';

export function PlaygroundPage() {
  const t = useTranslate();
  const { data: state } = useConsole();
  const voices = useVoices();
  const editor = useRef<TextEditorHandle>(null);
  const [text, setText] = useStored(
    'mynah.playground.text',
    t('Hello! I speak on your own machine. (happy) Nobody else is listening, and I am glad to meet you.'),
  );
  const [settings, setSettings] = useStored<PlaygroundSettings>('mynah.playground', DEFAULT_SETTINGS);
  const { takes, isRunning, speak, stop, open } = useTakes();
  useEffect(() => void loadWaveform().catch(() => {}), []);

  const { speed, volume, format } = settings;
  const model = settings.model ?? state?.default_model ?? 's1';
  const voice =
    voices.data?.find(({ _id }) => _id === settings.voiceId) ??
    voices.data?.find(({ state: s }) => s === 'trained');
  const second = voices.data?.find(({ _id }) => _id === settings.secondVoiceId);
  const chosen = [voice, ...(settings.isComparing && second ? [second] : [])];
  const isPrepaid = state?.billing === 'prepaid';
  const price = priceOfText(text, priceOf(state, 'tts', model));
  const costUsd = isPrepaid ? price : undefined;
  const code = { text, voiceId: voice?._id, model, speed, volume, format };

  return (
    <>
      <PageHeader title={t('Playground')} text={t('Write something, choose a voice, and hear it at once.')} />
      <div className="grid gap-6 lg:grid-cols-[1fr_17rem]">
        <div className="min-w-0 space-y-6">
          <TextEditor
            ref={editor}
            text={text}
            maxLength={state?.limits.text_max_chars}
            isRunning={isRunning}
            onChange={setText}
            onSpeak={() => void speak({ text, voices: chosen, model, speed, volume, costUsd })}
            onStop={stop}
          >
            {t('{bytes} bytes', { bytes: formatNumber(bytesOf(text)) })}
            {isPrepaid && ` · ${formatUsd(price * chosen.length)}`}
          </TextEditor>
          <section aria-label={t('Result')} aria-live="off" className="space-y-4">
            {takes.map((take) => (
              <TakeCard key={take.info.id} take={take} format={format ?? 'wav'} />
            ))}
          </section>
          <section className="card p-4 md:p-5">
            <Tabs
              label={t('Tools')}
              tabs={[
                {
                  id: 'cues',
                  label: t('Cues'),
                  content: (
                    <CuePalette
                      voiceId={voice?._id}
                      model={model}
                      onInsert={(cue) => editor.current?.insertCue(cue)}
                    />
                  ),
                },
                { id: 'ssml', label: 'SSML', content: <SsmlHelp onExample={setText} /> },
                {
                  id: 'history',
                  label: t('History'),
                  content: <History onOpen={(info) => void open(info)} />,
                },
                {
                  id: 'code',
                  label: t('Code'),
                  content: <CodeTabs samples={codeSamples(code, location.origin)} />,
                },
              ]}
            />
          </section>
        </div>
        <SettingsPanel
          settings={settings}
          state={state}
          model={model}
          voice={voice}
          second={second}
          defaultSecondId={voices.data?.[1]?._id}
          onChange={(change) => setSettings({ ...settings, ...change })}
        />
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
