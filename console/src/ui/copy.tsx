import { useEffect, useState } from 'react';
import { useTranslate } from '../lib/use-translate.ts';
import { Button, IconButton } from './button.tsx';

const SHOWN_MS = 1500;

async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Pages on plain HTTP have no clipboard API.
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

export function CopyButton({
  text,
  label,
  isIcon = false,
}: {
  readonly text: string;
  readonly label: string;
  readonly isIcon?: boolean;
}) {
  const t = useTranslate();
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const onClick = () => void copyText(text).then(() => setIsCopied(true));
  const shown = isCopied ? t('Copied') : label;
  if (isIcon) return <IconButton label={shown} icon={isCopied ? 'check' : 'copy'} onClick={onClick} />;
  return (
    <Button isSmall icon={isCopied ? 'check' : 'copy'} onClick={onClick}>
      {shown}
    </Button>
  );
}

export function CodeBlock({ code, label }: { readonly code: string; readonly label: string }) {
  const t = useTranslate();
  return (
    <div className="rounded-xl bg-sunken">
      <div className="flex items-center justify-between ps-4 pe-2 pt-2">
        <span className="text-sm text-muted">{label}</span>
        <CopyButton text={code} label={t('Copy')} />
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        className="overflow-x-auto p-4 pt-2"
      >
        <pre className="font-mono text-[0.82rem] leading-6">{code}</pre>
      </section>
    </div>
  );
}
