/** Outlines on a 24-unit grid. */
const PATHS = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M8 5v14M16 5v14',
  stop: 'M6.5 6.5h11v11h-11z',
  wave: 'M4 10v4M8 6v12M12 9v6M16 4v16M20 10v4',
  voice: 'M12 3a4 4 0 0 1 4 4v4a4 4 0 0 1-8 0V7a4 4 0 0 1 4-4zM5 11a7 7 0 0 0 14 0M12 18v3',
  users:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3 2.7-5 6-5s6 2 6 5M16 4.4a3.5 3.5 0 0 1 0 6.3M18 15.3c1.8.7 3 2.3 3 4.7',
  copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  close: 'M6 6l12 12M18 6L6 18',
  plus: 'M12 5v14M5 12h14',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  upload: 'M12 16V5M7 9l5-5 5 5M5 20h14',
  text: 'M5 6h14M5 10h14M5 14h9M5 18h6',
  chat: 'M4 5h16v11H10l-5 4v-4H4z',
  book: 'M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11',
  key: 'M8 16a4 4 0 1 1 3.4-6.1L20 10v4h-3v-2h-5.6A4 4 0 0 1 8 16z',
  chart: 'M5 20V10M10 20V4M15 20v-8M20 20v-5',
  shield: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z',
  gear: 'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M18.4 5.6l-2.2 2.2M7.8 16.2l-2.2 2.2',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M19 5l-1.4 1.4M6.4 17.6L5 19',
  moon: 'M20 14.5A8 8 0 1 1 9.5 4a6.5 6.5 0 0 0 10.5 10.5z',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  star: 'M12 4l2.4 5 5.6.7-4.1 3.8 1.1 5.5-5-2.8-5 2.8 1.1-5.5L4 9.7 9.6 9z',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  dialogue: 'M3 5h11v8H8l-3 3v-3H3zM17 9h4v8h-2v3l-3-3h-5',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  logout: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  wand: 'M4 20L15 9M14 4l.8 2.2L17 7l-2.2.8L14 10l-.8-2.2L11 7l2.2-.8zM19 12l.5 1.5L21 14l-1.5.5L19 16l-.5-1.5L17 14l1.5-.5z',
  down: 'M6 9l6 6 6-6',
  history: 'M4 12a8 8 0 1 0 2.5-5.8L4 8.500M4 4v4.500h4.500M12 8v4l3 2',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
} as const;

export type IconName = keyof typeof PATHS;
const FILLED: readonly IconName[] = ['play', 'stop'];

export function Icon({
  name,
  size = 18,
  filled = false,
}: {
  name: IconName;
  size?: number;
  filled?: boolean;
}) {
  const isFilled = filled || FILLED.includes(name);
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={isFilled ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
