import type { Message } from '../lib/i18n.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Badge } from '../ui/layout.tsx';
import type { AnswerTrace } from './conversation.ts';

const STEPS: readonly { readonly key: keyof AnswerTrace; readonly label: Message; readonly fill: string }[] =
  [
    { key: 'textMs', label: /* msg */ 'Text of the answer', fill: 'fill-line-strong' },
    { key: 'audioMs', label: /* msg */ 'First audio', fill: 'fill-accent' },
  ];

/** How long each step took, from the end of what was said to the first audio of the answer. */
export function LatencyTrace({ trace }: { readonly trace: AnswerTrace }) {
  const t = useTranslate();
  const total = Math.max(1, trace.audioMs ?? trace.textMs ?? 1);
  let from = 0;
  return (
    <div className="mb-3 space-y-1.5" data-testid="latency-trace">
      {STEPS.map(({ key, label, fill }) => {
        const until = trace[key];
        if (until === undefined) return null;
        const start = from;
        from = until;
        return (
          <div key={key} className="text-xs">
            <div className="flex justify-between">
              <span>{t(label)}</span>
              <span className="text-muted tabular-nums">{until - start} ms</span>
            </div>
            <svg aria-hidden="true" viewBox="0 0 100 6" preserveAspectRatio="none" className="h-1.5 w-full">
              <rect width="100" height="6" className="fill-line" />
              <rect
                x={(start / total) * 100}
                width={Math.max(1, ((until - start) / total) * 100)}
                height="6"
                className={fill}
              />
            </svg>
          </div>
        );
      })}
      {trace.audioMs !== undefined && (
        <p className="flex items-center justify-between text-sm">
          {t('End of speech to first audio')}
          <Badge look="accent">{trace.audioMs} ms</Badge>
        </p>
      )}
    </div>
  );
}
