import type { UsageItem } from 'mynah';
import { useLayoutEffect, useRef, useState } from 'react';
import { formatDay, formatNumber, formatShortDay } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';

const DAY_MS = 86_400_000;
const WIDTH_DEFAULT = 720;
const LABEL_WIDTH = 90;
const HEIGHT = 200;
const BOTTOM = 24;

/** Requests per day as bars, with the same numbers as a table for screen readers. */
export function UsageChart({
  items,
  fromDay,
  days,
}: {
  readonly items: readonly UsageItem[];
  readonly fromDay: string;
  readonly days: number;
}) {
  const t = useTranslate();
  const figure = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(WIDTH_DEFAULT);
  useLayoutEffect(() => {
    if (figure.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width || WIDTH_DEFAULT));
    observer.observe(figure.current);
    return () => observer.disconnect();
  }, []);
  const start = Date.parse(fromDay);
  const bars = Array.from({ length: days }, (_, index) => {
    const day = new Date(start + index * DAY_MS).toISOString().slice(0, 10);
    const ofDay = items.filter((item) => item.day === day);
    return { day, requests: ofDay.reduce((sum, { requests }) => sum + requests, 0) };
  });
  // Even, so that the line at half the height has a whole number.
  const highest = 2 * Math.ceil(Math.max(2, ...bars.map(({ requests }) => requests)) / 2);
  const step = width / days;
  const labelEvery = Math.ceil(days / Math.max(1, Math.floor(width / LABEL_WIDTH)));
  return (
    <figure ref={figure}>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        className="h-50 w-full"
        role="img"
        aria-label={t('Requests per day')}
      >
        {[0.5, 1].map((part) => {
          const y = (HEIGHT - BOTTOM) * (1 - part) + 12 * part;
          return (
            <g key={part}>
              <line x1="0" x2={width} y1={y} y2={y} className="stroke-line" />
              <text x="0" y={y - 4} className="fill-muted text-[11px]">
                {formatNumber(Math.round(highest * part))}
              </text>
            </g>
          );
        })}
        <line x1="0" x2={width} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} className="stroke-line-strong" />
        {bars.map(({ day, requests }, index) => {
          const height = (requests / highest) * (HEIGHT - BOTTOM - 12);
          return (
            <g key={day}>
              <rect
                x={index * step + step * 0.15}
                y={HEIGHT - BOTTOM - height}
                width={step * 0.7}
                height={height}
                rx={Math.min(4, step * 0.2)}
                className="fill-accent"
              >
                <title>{`${formatDay(day)}: ${formatNumber(requests)}`}</title>
              </rect>
              {index % labelEvery === 0 && (
                <text x={index * step} y={HEIGHT - 6} className="fill-muted text-[11px]">
                  {formatShortDay(day)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <table className="sr-only">
        <caption>{t('Requests per day')}</caption>
        <tbody>
          {bars
            .filter(({ requests }) => requests > 0)
            .map(({ day, requests }) => (
              <tr key={day}>
                <th scope="row">{formatDay(day)}</th>
                <td>{requests}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  );
}
