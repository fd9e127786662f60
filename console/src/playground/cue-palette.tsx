import { Take } from '../audio/take.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Icon } from '../ui/icons.tsx';
import { describeError } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { showToast } from '../ui/toast.tsx';
import { CUE_GROUPS, cueSample } from './cues.ts';

/** Inserts cues into the text, and plays an example of each. */
export function CuePalette({
  voiceId,
  model,
  onInsert,
}: {
  readonly voiceId: string | undefined;
  readonly model: string;
  readonly onInsert: (cue: string) => void;
}) {
  const t = useTranslate();
  const hear = async (cue: string) => {
    const take = new Take({
      id: cue,
      text: cueSample(cue),
      voiceId: '',
      voiceTitle: '',
      model,
      speed: 1,
      volume: 0,
      createdAtMs: 0,
    });
    await take.run({ model, ...(voiceId && { reference_id: voiceId }) });
    if (take.error !== undefined) showToast(describeError(take.error, t));
  };
  return (
    <Tabs
      label={t('Cues')}
      tabs={CUE_GROUPS.map(({ title, cues }) => ({
        id: title,
        label: t(title),
        content: (
          <div className="flex flex-wrap gap-1.5">
            {cues.map((cue) => (
              <span key={cue} className="inline-flex overflow-hidden rounded-full border border-line text-sm">
                <button
                  type="button"
                  className="py-1 ps-3 pe-2 hover:bg-sunken"
                  onClick={() => onInsert(cue)}
                >
                  {cue}
                </button>
                <button
                  type="button"
                  aria-label={t('Play an example of {cue}', { cue })}
                  className="border-s border-line px-2 text-muted hover:bg-sunken hover:text-ink"
                  onClick={() => void hear(cue)}
                >
                  <Icon name="play" size={11} />
                </button>
              </span>
            ))}
          </div>
        ),
      }))}
    />
  );
}
