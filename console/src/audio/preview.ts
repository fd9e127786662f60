import { useEffect, useState } from 'react';

/** One `audio` element for samples of voices: a new sample stops the previous one. */
const element = typeof Audio === 'undefined' ? undefined : new Audio();
let current: string | undefined;
const listeners = new Set<() => void>();

function change(url: string | undefined): void {
  current = url;
  for (const listener of listeners) listener();
}

element?.addEventListener('ended', () => change(undefined));
element?.addEventListener('error', () => change(undefined));

export function playPreview(url: string): void {
  if (element === undefined) return;
  if (current === url) {
    element.pause();
    change(undefined);
    return;
  }
  element.src = url;
  change(url);
  element.play().catch(() => change(undefined));
}

export function stopPreview(): void {
  element?.pause();
  change(undefined);
}

/** The URL that plays now. */
export function usePreview(): string | undefined {
  const [url, setUrl] = useState(current);
  useEffect(() => {
    const listener = () => setUrl(current);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return url;
}

/** The path of a sample of a voice on this server. */
export function sampleUrl(voiceId: string, index = 0): string {
  return `/model/${encodeURIComponent(voiceId)}/samples/${index}`;
}
