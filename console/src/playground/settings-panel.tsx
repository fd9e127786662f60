import type { ConsoleState, Voice } from 'mynah';
import { useTranslate } from '../lib/use-translate.ts';
import { Select, Slider, Switch } from '../ui/field.tsx';
import { VoicePicker } from '../ui/voice-picker.tsx';
import { FILE_FORMATS } from './download-take.ts';
import type { PlaygroundSettings } from './settings.ts';

const SPEED = { min: 0.5, max: 2, step: 0.05 } as const;
const VOLUME = { min: -20, max: 20, step: 1 } as const;

/** Voice, model, speed, volume and file format of the playground. */
export function SettingsPanel({
  settings,
  state,
  model,
  voice,
  second,
  defaultSecondId,
  onChange,
}: {
  readonly settings: PlaygroundSettings;
  readonly state: ConsoleState | undefined;
  /** The chosen model, or the default one. */
  readonly model: string;
  readonly voice: Voice | undefined;
  /** The voice that is compared with the first. */
  readonly second: Voice | undefined;
  /** The voice that a comparison begins with. */
  readonly defaultSecondId: string | undefined;
  readonly onChange: (change: Partial<PlaygroundSettings>) => void;
}) {
  const t = useTranslate();
  return (
    <section className="space-y-5" aria-label={t('Settings')}>
      <VoicePicker label={t('Voice')} value={voice?._id} onChange={({ _id }) => onChange({ voiceId: _id })} />
      <Select
        label={t('Model')}
        value={model}
        options={(state?.models ?? [model]).map((name) => ({ value: name, label: name }))}
        onChange={(name) => onChange({ model: name })}
      />
      <Slider
        label={t('Speed')}
        value={settings.speed}
        {...SPEED}
        format={(value) => `${value.toFixed(2)}×`}
        onChange={(speed) => onChange({ speed })}
      />
      <Slider
        label={t('Volume')}
        value={settings.volume}
        {...VOLUME}
        format={(value) => `${value > 0 ? '+' : ''}${value} dB`}
        onChange={(volume) => onChange({ volume })}
      />
      <Select
        label={t('File format')}
        value={settings.format ?? 'wav'}
        options={FILE_FORMATS.map((name) => ({ value: name, label: name.toUpperCase() }))}
        onChange={(name) => onChange({ format: FILE_FORMATS.find((format) => format === name) })}
      />
      {settings.format && settings.format !== 'wav' && state?.billing === 'prepaid' && (
        <p className="-mt-3 text-sm text-muted">{t('A download in this format is a further request.')}</p>
      )}
      <Switch
        label={t('Compare two voices')}
        isOn={settings.isComparing}
        onChange={(isComparing) =>
          onChange({ isComparing, secondVoiceId: settings.secondVoiceId ?? defaultSecondId })
        }
      />
      {settings.isComparing && (
        <VoicePicker
          label={t('Second voice')}
          value={second?._id}
          onChange={({ _id }) => onChange({ secondVoiceId: _id })}
        />
      )}
    </section>
  );
}
